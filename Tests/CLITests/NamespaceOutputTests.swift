import Foundation
import TestSupport
import Testing

@Suite("The output for schemas with namespaces compiles as it is")
struct NamespaceOutputTests {
  private static let invoice = """
    namespace Shop.Billing;
    table Invoice { number: long (primary); }
    root_type Invoice;
    """
  private static let item = """
    namespace Shop;
    enum Color: byte { Red, Green }
    table Item { name: string (primary); color: Color; }
    root_type Item;
    """

  private func withSchemas(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try folder.write(Self.invoice, to: "invoice.fbs")
      try folder.write(Self.item, to: "item.fbs")
      try body(folder)
    }
  }

  private func expectToCompile(_ folder: URL, _ comment: Comment) throws {
    let out = folder.appending(path: "out")
    let result = try typecheck(try out.names(), in: out)
    #expect(result.status == 0, "\(comment): \(result.error)")
  }

  @Test("One run, and several runs that write to one folder, write the same")
  func runs() throws {
    try withSchemas { folder in
      let together = try dflatc("compile", "-o", "out", "invoice.fbs", "item.fbs", in: folder)
      #expect(together.status == 0 && together.error.isEmpty, "\(together.error)")
      let names = try folder.appending(path: "out").names()
      #expect(names.contains("Shop_namespace_generated.swift"))
      #expect(names.contains("Shop.Billing_namespace_generated.swift"))
      try expectToCompile(folder, "in one run")
      try FileManager.default.removeItem(at: folder.appending(path: "out"))
      for schema in ["item.fbs", "invoice.fbs", "item.fbs"] {
        #expect(try dflatc("compile", "-o", "out", schema, in: folder).status == 0)
      }
      #expect(try folder.appending(path: "out").names() == names)
      try expectToCompile(folder, "in several runs")
      let difference = try dflatc("compile", "--diff", "-o", "out", "invoice.fbs", "item.fbs", in: folder)
      #expect(difference.status == 0 && difference.output.isEmpty)
    }
  }

  @Test("A root class that is called as a namespace is that namespace, as in Dflat 0.6", arguments: ["5", "6"])
  func classes(version: String) throws {
    let schema = """
      enum Color: byte { Red, Green }
      namespace Shop;
      enum Color: byte { Blue }
      table Item { name: string; color: Shop.Color; }
      table Book { pages: int; items: [Shop.Item]; }
      union Ware { Item, Book }
      namespace Shop.Parts;
      struct Size { width: int; }
      namespace;
      table Shop (codable) {
        ware: Shop.Ware; id: string (primary); color: Color; size: Shop.Parts.Size; best: Shop.Item;
      }
      root_type Shop;
      """
    let app = """
      import Dflat
      extension Shop.Item {
        init(name: String, isBlue: Bool) { self.init(name: name, color: isBlue ? .blue : nil) }
      }
      extension Shop {
        convenience init(named name: String) {
          self.init(id: name, ware: .item(Item(name: name, isBlue: true)), color: .green)
        }
      }
      func ask(_ workspace: any Workspace) -> FetchedResult<Shop> {
        workspace.fetch(for: Shop.self).where(Shop.best.name == "b" && Shop.ware.as(Shop.Book.self).pages > 3)
      }
      """
    try withFolder { folder in
      try folder.write(schema, to: "shop.fbs")
      for namespaces in ["each", "none"] {
        let result = try dflatc("compile", "-o", "out", "--namespaces", namespaces, "shop.fbs", in: folder)
        #expect(result.status == 0, "\(result.error)")
        let out = folder.appending(path: "out")
        let inner = namespaces == "none" ? "extension Shop { public enum Parts {} }" : ""
        try out.write(app + "\n" + inner, to: "app.swift")
        let compiled = try typecheck(out.names(), in: out, version: version)
        #expect(compiled.status == 0, "\(compiled.error)")
        try FileManager.default.removeItem(at: out)
      }
    }
  }

  @Test("Types within such a class do not take the names that the class needs, nor its fields those of the types")
  func hostileClasses() throws {
    let schema = """
      table Tag { name: string; }
      namespace shop;
      table Wood { x: int; }
      namespace Post;
      table ID { x: int; }
      table CodingKeys { x: int; }
      table PostBuilder { x: int; }
      table toData { x: int; }
      table URL { x: int; }
      table title { x: int; wood: shop.Wood; }
      struct id { x: int; }
      namespace;
      table Post (codable) {
        title: string (primary); URL: Post.URL; id: Post.id; tag: Tag; shop: int; key: Post.ID; keys: [Post.CodingKeys];
        builder: Post.PostBuilder; data: Post.toData; other: Post.title;
      }
      root_type Post;
      """
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      let result = try dflatc("compile", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      try expectToCompile(folder, "with hostile names")
    }
  }

  @Test("All in one file, which is there also if there are none; or none, where the app declares them")
  func choices() throws {
    try withSchemas { folder in
      let one = ["compile", "--namespaces", "all.swift", "-o", "out"]
      _ = try run(productsFolder.appending(path: "dflatc"), one + ["invoice.fbs", "item.fbs"], in: folder)
      #expect(try folder.appending(path: "out").names().filter { !$0.contains("generated") } == ["all.swift"])
      try expectToCompile(folder, "in one file")
      try folder.write("table T { x: int (primary); }\nroot_type T;\n", to: "global.fbs")
      _ = try run(productsFolder.appending(path: "dflatc"), one + ["global.fbs"], in: folder)
      #expect(try folder.appending(path: "out").names().contains("all.swift"))
      try FileManager.default.removeItem(at: folder.appending(path: "out"))
      #expect(try dflatc("compile", "--namespaces", "none", "-o", "out", "invoice.fbs", in: folder).status == 0)
      try folder.write("public enum Shop { public enum Billing {} }\n", to: "out/own.swift")
      try expectToCompile(folder, "declared by the app")
    }
  }

  @Test("Modules that define the same names declare a namespace that they share once")
  func modules() throws {
    try withFolder { folder in
      for name in ["a", "b"] {
        try folder.write("namespace N; table T { x: int; }\n", to: "\(name).fbs")
      }
      let result = try dflatc("compile", "--emit", "bfbs,accessors", "-o", "out", "a.fbs", "b.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(
        try folder.appending(path: "out").names().filter { $0.contains("namespace") } == ["N_namespace_generated.swift"]
      )
    }
  }

  @Test("Emitters of several --emit are all run, each once, and one whose output would not compile alone is refused")
  func emitters() throws {
    try withFolder { folder in
      try folder.write("table T { x: int (primary); }\nroot_type T;\n", to: "t.fbs")
      let several = try dflatc(
        "compile", "--emit", "data-model", "--emit", "bfbs,accessors", "--emit", "bfbs", "-o", "out", "t.fbs",
        in: folder)
      #expect(several.status == 0, "\(several.error)")
      let names = try folder.appending(path: "out").names()
      #expect(names == ["t.bfbs", "t_data_model_generated.swift", "t_generated.swift"])
      let alone = try dflatc("compile", "--emit", "mutating", "-o", "other", "t.fbs", in: folder)
      #expect(alone.status == 2)
      #expect(
        alone.error.contains("The output of mutating needs that of accessors and data-model beside it: add --emit "))
      #expect(try folder.names() == ["out", "t.fbs"])
    }
  }

  @Test("What --namespaces does not take, and the emitter that there was before")
  func mistakes() throws {
    // To Swift, a slash before a combining character is none.
    for name in ["some/where", "some/where.swift", "../\u{301}where.swift"] {
      let wrong = try dflatc("compile", "--namespaces", name, "-o", "out", "x.fbs")
      #expect(wrong.status == 2 && wrong.error.contains("takes each, none, or the name of a Swift file"), "\(name)")
    }
    let emitter = try dflatc("compile", "--emit", "accessors,namespaces", "-o", "out", "x.fbs")
    #expect(emitter.status == 2 && emitter.error.contains("see --namespaces"))
  }
}
