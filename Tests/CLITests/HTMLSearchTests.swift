import Foundation
import TestSupport
import Testing

/// Whether the scripts of pages can be run.
private let hasNode = (try? run(URL(fileURLWithPath: "/usr/bin/env"), ["node", "--version"]).status) == 0

@Suite("The search of dflatc compile --emit html")
struct HTMLSearchTests {
  /// Runs the script of `index.html` for each text that is typed.
  /// - Returns: For each text the results, as `link label`.
  private func search(_ texts: String..., schemas: [String: String]) throws -> [[String]] {
    try withFolder { folder in
      for (path, text) in schemas { try folder.write(text, to: "s/\(path)") }
      let result = try dflatc("compile", "-o", "docs", "--emit", "html", "s", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let page = try String(contentsOf: folder.appending(path: "docs/index.html"), encoding: .utf8)
      let script = try #require(page.firstMatch(of: /<script>((?s).*)<\/script>/)).1
      #expect(!script.contains("</"))
      // As much of a document as the script touches.
      try folder.write(
        """
        const element = () => ({
          children: [], classList: { toggle() {} },
          addEventListener(name, body) { this.type = (text) => { this.value = text; body(); }; },
          append(...added) { this.children.push(...added); },
          replaceChildren(...added) { this.children = added; },
        });
        const elements = { search: element(), results: element() };
        globalThis.document = {
          getElementById: (id) => elements[id], querySelectorAll: () => [], createElement: element,
        };
        (() => {\(script)})();
        console.log(JSON.stringify(process.argv.slice(2).map((text) => {
          elements.search.type(text);
          return elements.results.children.map((entry) =>
            entry.textContent ?? `${entry.children[0].href} ${entry.children[0].textContent}`);
        })));
        """, to: "search.js")
      let run = try run(URL(fileURLWithPath: "/usr/bin/env"), ["node", "search.js"] + texts, in: folder)
      try #require(run.status == 0, "\(run.error)")
      return try JSONDecoder().decode([[String]].self, from: Data(run.output.utf8))
    }
  }

  @Test("The index finds types, fields, values, members, methods and words of comments", .enabled(if: hasNode))
  func theIndexFindsWhatSchemasHave() throws {
    let found = try search(
      "Post", "likes", "Post.likes", "green", "fetch", "hearts given", "author", "nothing", "", "point lat", "tale",
      schemas: [
        "geo/point.fbs": "namespace geo;\nstruct Point { lat: double; lon: double; }\n",
        "post.fbs": """
        enum Color: byte {
          Red,
          /// As grass.
          Green
        }
        table Note { author: string; }
        union Content { Story: Note }
        /// What people write. </script><b> "quoted" \\ tale
        table Post {
          /// The hearts that were given.
          likes: int; color: Color; content: Content; }
        rpc_service Posts { fetch(Note): Post; }
        root_type Post;

        """,
      ])
    #expect(found[0] == ["post.html#Post Post", "post.html#Posts Posts"])
    #expect(found[1] == ["post.html#Post:likes Post.likes"])
    #expect(found[2] == found[1])
    #expect(found[3] == ["post.html#Color:Green Color.Green"])
    #expect(found[4] == ["post.html#Posts:fetch Posts.fetch"])
    #expect(found[5] == found[1])
    #expect(found[6] == ["post.html#Note:author Note.author"])
    #expect(found[7] == ["Nothing is found"])
    #expect(found[8] == [])
    #expect(found[9] == ["point.html#geo.Point:lat geo.Point.lat"])
    #expect(found[10] == ["post.html#Post Post"])
  }

  @Test("The type of a typed name comes first, also in a namespace", .enabled(if: hasNode))
  func theExactNameComesFirst() throws {
    let found = try search(
      "Monster", "a.b.Monster",
      schemas: [
        "m.fbs": "namespace a.b;\ntable MonsterCache {}\ntable Monster {}\ntable Zoo { monsters: [Monster]; }\n"
      ])
    for results in found { #expect(results.first == "m.html#a.b.Monster a.b.Monster") }
  }

  @Test("Every result leads to a row or type of its page", .enabled(if: hasNode))
  func everyResultLeadsToAPlace() throws {
    let schema = """
      namespace a.b;
      table Xa { xb: int; xc: string (deprecated); }
      enum Xd: byte { Xe }
      rpc_service Xa { xb(Xa): Xa; }

      """
    let found = try search("x", schemas: ["x.fbs": schema])[0]
    #expect(found.count == 7 && Set(found).count == 7)
    try withFolder { folder in
      try folder.write(schema, to: "x.fbs")
      #expect(try dflatc("compile", "-o", "docs", "--emit", "html", "x.fbs", in: folder).status == 0)
      let page = try String(contentsOf: folder.appending(path: "docs/x.html"), encoding: .utf8)
      for place in found {
        let anchor = try #require(place.split(separator: " ").first?.split(separator: "#").last)
        #expect(page.contains(" id=\"\(anchor)\""), "\(place)")
      }
    }
  }

  @Test("Names come before comments, and of many results the first hundred are shown", .enabled(if: hasNode))
  func namesComeBeforeComments() throws {
    let fields = (0..<150).map { "  /// A size.\n  field_\($0): int;\n" }.joined()
    let found = try search(
      "size", schemas: ["a.fbs": "table A {\n\(fields)  resized: int;\n  size_of: int;\n  size: int;\n}\n"])[0]
    #expect(found.prefix(3) == ["a.html#A:size A.size", "a.html#A:size_of A.size_of", "a.html#A:resized A.resized"])
    #expect(found.count == 101 && found.last == "... and 53 more")
  }

  @Test("The index of 1,000 tables with 10 fields each is smaller than 400 KB")
  func theIndexOfManyTablesIsSmall() throws {
    try withFolder { folder in
      let tables = (0..<1000).map { table in
        "/// Table number \(table).\ntable Table\(table) {\n"
          + (0..<10).map { "  field_\($0): int;\n" }.joined() + "}\n"
      }
      try folder.write(tables.joined(), to: "s/all.fbs")
      #expect(try dflatc("compile", "-o", "docs", "--emit", "html", "s", in: folder).status == 0)
      let size = try Data(contentsOf: folder.appending(path: "docs/index.html")).count
      #expect(size < 400_000, "\(size)")
    }
  }
}
