import Foundation
import TestSupport
import Testing

/// What commands make of binary schemas: those of dflatc, and those that flatc writes without the attributes of the language.
@Suite("Binary schemas as inputs")
struct BinarySchemaInputTests {
  private static let schema = """
    namespace Shop;
    attribute "primary";
    attribute "note";
    /// How an order goes on.
    enum Step: ubyte { Open, Closed = 3 }
    struct Size (force_align: 8) { width: int; height: short; }
    /// What was bought.
    table Item { name: string (note: "a \\"b\\""); size: Size; ratio: float = 0.1; }
    table Gift { text: string; }
    union Part { Item, Gift }
    table Order {
      id: ulong (primary);
      /// Where it is.
      step: Step = Closed;
      parts: [Part];
      items: [Item] (required);
      raw: [ubyte] (nested_flatbuffer: "Item");
    }
    rpc_service Orders { Get(Item): Order (streaming: "server"); }
    root_type Order;
    file_identifier "SHOP";
    file_extension "shop";

    """

  private static let everything = "accessors,data-model,mutating,query,editors,json,diagram"

  /// Writes the schema, and its binary form as flatc writes it.
  private func write(_ text: String = schema, in folder: URL, _ options: [String]) throws {
    try folder.write(text, to: "order.fbs")
    let bytes = try #require(try FlatcTool.system.binarySchema(of: "order.fbs", in: folder, options))
    try Data(bytes).write(to: folder.appending(path: "order.bfbs"))
  }

  /// The lines of each output in an order of their own: binary schemas list definitions by name.
  private func outputs(_ folder: URL) throws -> [String: [String]] {
    var result: [String: [String]] = [:]
    for name in try folder.names() where !name.hasSuffix(".bfbs") {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      result[name] = text.replacing("order.bfbs", with: "order.fbs").split(separator: "\n").map {
        // Numbers in a diagram count the definitions.
        $0.hasPrefix("  ") && name.hasSuffix(".md") ? "" : String($0)
      }.sorted()
    }
    return result
  }

  @Test("Every emitter writes the same for a binary schema and for its text")
  func compile() throws {
    try withFolder { folder in
      try write(in: folder, ["--bfbs-builtins", "--bfbs-comments"])
      for (output, input) in [("text", "order.fbs"), ("binary", "order.bfbs")] {
        let result = try dflatc("compile", "--emit", Self.everything, "-o", output, input, in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      }
      let (text, binary) = (
        try outputs(folder.appending(path: "text")), try outputs(folder.appending(path: "binary"))
      )
      #expect(text.keys.sorted() == binary.keys.sorted() && text.count == 8)
      for (name, lines) in text where name != "order_schema.json" {
        let difference = Set(lines).symmetricDifference(binary[name] ?? [])
        #expect(difference.isEmpty, "\(name): \(difference)")
      }
      // The binary schema of a binary schema is that of the text.
      let again = try dflatc("compile", "--emit", "bfbs", "-o", "again", "order.bfbs", in: folder)
      #expect(again.status == 0, "\(again.error)")
      #expect(try dflatc("check", "order.fbs", "again/order.bfbs", in: folder).error.isEmpty)
    }
  }

  @Test("Missing attributes of a binary schema are reported once")
  func withoutAttributes() throws {
    try withFolder { folder in
      try write(in: folder, [])
      let result = try dflatc("compile", "--emit", Self.everything, "-o", "out", "order.bfbs", in: folder)
      #expect(result.status == 0)
      #expect(result.error.hasPrefix("note: order.bfbs holds no attributes of the language"), "\(result.error)")
      #expect(result.error.contains("--bfbs-builtins") && result.error.split(separator: "\n").count == 1)
      for (old, new, side) in [("order.fbs", "order.bfbs", "NEW"), ("order.bfbs", "order.fbs", "OLD")] {
        let check = try dflatc("check", old, new, in: folder)
        #expect(check.status == 0 && check.output.isEmpty)
        #expect(check.error.hasPrefix("note: \(side), order.bfbs, holds no attributes"), "\(check.error)")
        #expect(check.error.contains("`nested_flatbuffer`") && check.error.split(separator: "\n").count == 1)
      }
    }
  }

  @Test("A binary schema is known by its content, too, whatever its name is")
  func otherNames() throws {
    try withFolder { folder in
      try write(in: folder, [])
      let file = folder.appending(path: "order.bfbs")
      for name in ["order.bin", "released.fbs"] {
        try FileManager.default.copyItem(at: file, to: folder.appending(path: name))
        let result = try dflatc("compile", "--emit", "accessors", "-o", "out", name, in: folder)
        #expect(
          result.status == 0 && result.error.hasPrefix("note: \(name) holds no attributes of the language"),
          "\(result.error)")
      }
      try write("table T { a: uint; } root_type T;", in: folder, [])
      try FileManager.default.moveItem(at: file, to: folder.appending(path: "other.bin"))
      let wrong = try dflatc("compile", "-o", "out", "other.bin", in: folder)
      #expect(wrong.status == 1 && wrong.error.contains("note: other.bin is a binary schema, shown as text"))
    }
  }

  @Test("A check names only the attributes that the other version has, where none need be missing")
  func attributesInDoubt() throws {
    try withFolder { folder in
      try write("table T { a: uint; b: [int]; } root_type T;", in: folder, [])
      #expect(try dflatc("check", "order.fbs", "order.bfbs", in: folder).error.isEmpty)
      try folder.write("table T { a: uint (hash: \"fnv1_32\"); b: [int]; } root_type T;", to: "order.fbs")
      let check = try dflatc("check", "order.bfbs", "order.fbs", in: folder)
      #expect(check.status == 0 && check.error.contains(": `hash` was not compared;"), "\(check.error)")
      // With attributes, the same change is found.
      try write("table T { a: uint; b: [int]; c: int (deprecated); } root_type T;", in: folder, ["--bfbs-builtins"])
      try folder.write(
        "table T { a: uint (hash: \"fnv1_32\"); b: [int]; c: int (deprecated); } root_type T;", to: "order.fbs")
      let found = try dflatc("check", "order.bfbs", "order.fbs", in: folder)
      #expect(found.status == 1 && found.error.contains("error[hash]"), "\(found.error)")
    }
  }

  @Test("An error in a binary schema says where to mend it")
  func errors() throws {
    try withFolder { folder in
      try write("table T { a: uint; } root_type T;", in: folder, [])
      let result = try dflatc("compile", "-o", "out", "order.bfbs", in: folder)
      #expect(result.status == 1 && result.error.contains("--> order.bfbs:"), "\(result.error)")
      #expect(
        result.error.contains("order.bfbs is a binary schema, shown as text: mend the .fbs that it was made of"),
        "\(result.error)")
      #expect(result.error.contains("--bfbs-builtins"))
    }
  }

  @Test("A default that no binary schema holds is named")
  func defaults() throws {
    try withFolder { folder in
      try folder.write("table T { a: string = \"x\"; b: [int] = []; c: string; } root_type T;", to: "t.fbs")
      #expect(try dflatc("compile", "--emit", "bfbs", "-o", ".", "t.fbs", in: folder).status == 0)
      let result = try dflatc("compile", "--emit", "accessors,json", "-o", "out", "t.bfbs", in: folder)
      #expect(result.status == 0 && result.error.contains("defaults of strings"), "\(result.error)")
      #expect(result.error.contains(": `T.a` may be absent here"), "\(result.error)")
      let json = try String(contentsOf: folder.appending(path: "out/t_schema.json"), encoding: .utf8)
      #expect(json.ranges(of: "\"presence\": \"defaulted\"").count == 1, "the vector's: \(json)")
    }
  }

  /// Compiles the binary form of a schema, as flatc writes it, to accessors.
  private func accessors(ofBinary text: String, in folder: URL) throws -> (result: ProcessResult, text: String) {
    try write(text, in: folder, [])
    let result = try dflatc("compile", "--emit", "accessors", "-o", "out", "order.bfbs", in: folder)
    let file = folder.appending(path: "out/order_generated.swift")
    let isMade = FileManager.default.fileExists(atPath: file.path)
    return (result, isMade ? try String(contentsOf: file, encoding: .utf8) : "")
  }

  @Test("A type of the global namespace is not taken for one of its name that is nearer")
  func wholeNames() throws {
    try withFolder { folder in
      let schema = "table S { x: int; z: int; } namespace N; table U { t: S; } table S { x: long; } root_type U;"
      let (result, text) = try accessors(ofBinary: schema, in: folder)
      #expect(result.status == 0 && !result.error.contains("warning"), "\(result.error)")
      #expect(text.contains("t: SReader?") && !text.contains("t: N.SReader"), "\(text)")
      // Nor is one of a namespace taken for one that a nearer namespace holds.
      let deep = "namespace B; table S { x: int; } namespace A; table U { t: B.S; } namespace A.B; table S { x: long; }"
      let (other, nested) = try accessors(ofBinary: deep, in: folder)
      #expect(other.status == 0 && !other.error.contains("warning"), "\(other.error)")
      #expect(nested.contains("t: B.SReader?"), "\(nested)")
    }
  }

  @Test("A field may have the name of a table that was declared later")
  func namesOfLaterTables() throws {
    try withFolder { folder in
      let later = "table Post { Author: Author; } table Author { x: int; } root_type Post;"
      let (result, text) = try accessors(ofBinary: later, in: folder)
      #expect(result.status == 0 && text.contains("AuthorReader"), "\(result.error)")
    }
  }

  @Test("A default may be an enum's value that is called `null`")
  func nullAsValue() throws {
    try withFolder { folder in
      for (values, number) in [("null, A", 0), ("A, null", 1)] {
        let (result, text) = try accessors(
          ofBinary: "enum E: byte { \(values) } table T { f: E = \(number); }", in: folder)
        #expect(result.status == 0 && text.contains("var f: EValue {"), "\(result.error)\n\(text)")
      }
    }
  }

  @Test("An input is not replaced, and neither lint nor format takes a binary schema for text")
  func refused() throws {
    try withFolder { folder in
      try write(in: folder, [])
      let bytes = try Data(contentsOf: folder.appending(path: "order.bfbs"))
      let replaced = try dflatc("compile", "--emit", "bfbs", "-o", ".", "order.bfbs", in: folder)
      #expect(replaced.status == 2 && replaced.error.contains("is an input, and would be"), "\(replaced.error)")
      for command in ["lint", "format"] {
        let result = try dflatc(command, "order.bfbs", in: folder)
        #expect(result.status == 3 && result.error.contains("cannot read order.bfbs: it is a binary schema"))
      }
      #expect(try Data(contentsOf: folder.appending(path: "order.bfbs")) == bytes)
    }
  }

  @Test("Damaged binary schemas are refused by each command, by file, by standard input and by git")
  func damaged() throws {
    try withFolder { folder in
      try write(in: folder, [])
      let whole = try Data(contentsOf: folder.appending(path: "order.bfbs"))
      try whole.prefix(whole.count - 40).write(to: folder.appending(path: "cut.bfbs"))
      for arguments in [["compile", "-o", "out", "cut.bfbs"], ["check", "order.fbs", "cut.bfbs"]] {
        let result = try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
        #expect(result.status == 3 && result.error.contains("cannot read cut.bfbs: it is damaged"), "\(result.error)")
      }
      let piped = try runProgram(
        productsFolder.appending(path: "dflatc").path, ["compile", "--emit", "json", "-o", "out", "-"], input: whole,
        in: folder)
      #expect(piped.isSuccess, "\(String(decoding: piped.error, as: UTF8.self))")
      #expect(try folder.appending(path: "out").names() == ["stdin_schema.json"])
    }
  }

  @Test("Binary schemas in git are compared as those in files")
  func git() throws {
    try withFolder { folder in
      try write(in: folder, [])
      func git(_ arguments: String...) throws {
        let all = ["git", "-c", "user.name=a", "-c", "user.email=a@b"] + arguments
        #expect(try run(URL(fileURLWithPath: "/usr/bin/env"), all, in: folder).status == 0)
      }
      try git("init", "-q")
      try git("add", "order.bfbs")
      try git("commit", "-q", "-m", "first")
      #expect(try dflatc("check", "--against", "git:HEAD", "order.bfbs", in: folder).status == 0)
      try write(Self.schema.replacing("ratio: float", with: "ratio: double"), in: folder, [])
      let result = try dflatc("check", "--against", "git:HEAD", "order.bfbs", in: folder)
      #expect(result.status == 1 && result.error.contains("error[field-type]"), "\(result.error)")
    }
  }
}
