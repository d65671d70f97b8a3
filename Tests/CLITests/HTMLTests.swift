import Foundation
import TestSupport
import Testing

@Suite("dflatc compile --emit html")
struct HTMLTests {
  /// The links of a page, and the places that it has.
  private func links(in page: String) -> (links: [String], places: Set<String>) {
    (
      page.matches(of: /href="([^"]*)"/).map { String($0.1) },
      Set(page.matches(of: /<section id="([^"]*)"/).map { String($0.1) })
    )
  }

  @Test("Every link of the HTML pages leads to a type of a page that exists")
  func everyLinkLeadsToATypeOfAPageThatIsThere() throws {
    try withFolder { folder in
      try folder.write(
        "namespace geo;\n/// A <place> & \"more\".\nstruct Point { x: int; y: int; }\n", to: "s/geo/point.fbs")
      try folder.write(
        """
        include "geo/point.fbs";
        enum Color: byte { Red, Green }
        union Content { Post, Note }
        table Note { text: string; }
        table Post { at: geo.Point; color: Color = Green; content: Content; notes: [Note]; tag: string (deprecated); }
        rpc_service Posts { get(Post): Note; }
        root_type Post;
        """, to: "s/post.fbs")
      let result = try dflatc("compile", "-o", "docs", "--emit", "html", "s", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      #expect(try folder.appending(path: "docs").names() == ["index.html", "point.html", "post.html"])
      #expect(try dflatc("compile", "--help").output.contains("index.html"))
      var pages: [String: String] = [:]
      for name in try folder.appending(path: "docs").names() {
        pages[name] = try String(contentsOf: folder.appending(path: "docs/\(name)"), encoding: .utf8)
      }
      for (name, page) in pages {
        for link in links(in: page).links {
          let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
          let target = try #require(pages[parts[0].isEmpty ? name : parts[0]], "\(name): \(link)")
          if parts.count > 1 { #expect(links(in: target).places.contains(parts[1]), "\(name): \(link)") }
        }
        // Nothing is asked of a server.
        #expect(!page.contains("http:") && !page.contains("https:") && !page.contains(" src="))
      }
      let post = try #require(pages["post.html"])
      #expect(post.contains("<a href=\"point.html#geo.Point\"><code>geo.Point</code></a>"))
      #expect(post.contains("<tr id=\"Post:tag\" class=\"deprecated\">") && post.contains("<code>Green</code>"))
      let point = try #require(pages["point.html"])
      #expect(point.contains("<p>A &lt;place&gt; &amp; &quot;more&quot;.</p>"))
      // A type tells who holds it, on other pages too.
      #expect(point.contains("Used by <a href=\"post.html#Post\">"))
      #expect(try #require(pages["index.html"]).contains("<a href=\"point.html#geo.Point\">geo.Point</a>"))
    }
  }

  @Test(
    "The page that leads to all schemas gives way to the pages of inputs, whatever their case is",
    arguments: [
      (["index"], "all_schemas.html"), (["Index"], "all_schemas.html"), (["all_schemas"], "index.html"),
      (["INDEX", "All_Schemas"], "all_schemas_2.html"),
      (["index", "all_schemas", "all_schemas_2"], "all_schemas_3.html"),
    ])
  func nameOfTheIndex(inputs: [String], index: String) throws {
    try withFolder { folder in
      for (number, input) in inputs.enumerated() {
        try folder.write("table T\(number) { x: int; }\n", to: "s/\(input).fbs")
      }
      let result = try dflatc("compile", "-o", "docs", "--emit", "html", "s", in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(try Set(folder.appending(path: "docs").names()) == Set(inputs.map { $0 + ".html" } + [index]))
      for input in inputs {
        let page = try String(contentsOf: folder.appending(path: "docs/\(input).html"), encoding: .utf8)
        #expect(page.contains("<a href=\"\(index)\">All schemas</a>"))
      }
    }
  }

  @Test("The pages of all modules of a run lead to one page of all schemas, and to each other")
  func severalModules() throws {
    try withFolder { folder in
      try folder.write("table Shared { n: int; }\n", to: "shared.fbs")
      // Their enums have one name, so that they are two modules.
      for (name, value) in [("index", "red"), ("b", "blue")] {
        let types = "enum Color: byte { \(value) }\ntable \(value.uppercased()) { s: Shared; c: Color; }\n"
        try folder.write("include \"shared.fbs\";\n" + types, to: name + ".fbs")
      }
      let result = try dflatc(
        "compile", "-o", "docs", "--emit", "html", "--gen-all", "index.fbs", "b.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let pages = ["all_schemas.html", "b.html", "index.html", "shared.html"]
      #expect(try folder.appending(path: "docs").names() == pages)
      for name in ["b", "index", "shared"] {
        let page = try String(contentsOf: folder.appending(path: "docs/\(name).html"), encoding: .utf8)
        #expect(page.contains("<a href=\"all_schemas.html\">All schemas</a>"), "\(name)")
        if name != "shared" {
          #expect(page.contains("<a href=\"shared.html#Shared\"><code>Shared</code></a>"), "\(name)")
          #expect(page.contains("<li><a href=\"shared.html\">shared.fbs</a></li>"), "\(name)")
        }
      }
    }
  }

  @Test("A service with the name of a type has a place of its own on the page")
  func serviceCalledAsAType() throws {
    try withFolder { folder in
      try folder.write(
        """
        namespace a;
        table Post { get: int; }
        rpc_service Post { get(Post): Post; }
        rpc_service Posts { get(Post): Post; }

        """, to: "post.fbs")
      #expect(try dflatc("compile", "-o", "docs", "--emit", "html", "post.fbs", in: folder).status == 0)
      let page = try String(contentsOf: folder.appending(path: "docs/post.html"), encoding: .utf8)
      let places = ["a.Post", "a.Post~service", "a.Posts"]
      #expect(page.matches(of: /<section id="([^"]*)"/).map { String($0.1) } == places)
      #expect(page.matches(of: /<tr id="([^"]*)"/).map { String($0.1) } == places.map { $0 + ":get" })
      #expect(page.matches(of: /<li><a href="#([^"]*)"/).map { String($0.1) } == places)
      let index = try String(contentsOf: folder.appending(path: "docs/index.html"), encoding: .utf8)
      #expect(index.matches(of: /<a href="post.html#([^"]*)"/).map { String($0.1) } == places)
    }
  }

  @Test("An HTML page is well formed")
  func aPageIsWellFormed() throws {
    try withFolder { folder in
      try folder.write("/// <b>&\ntable Post { a: string = \"<&>\"; }\nroot_type Post;\n", to: "post.fbs")
      #expect(try dflatc("compile", "-o", "docs", "--emit", "html", "post.fbs", in: folder).status == 0)
      let program = """
        import sys
        from html.parser import HTMLParser
        class Checker(HTMLParser):
            void = {"meta", "input"}
            def __init__(self):
                super().__init__()
                self.open = []
            def handle_starttag(self, tag, attributes):
                if tag not in self.void: self.open.append(tag)
            def handle_endtag(self, tag):
                if self.open.pop() != tag: sys.exit("unexpected </%s>" % tag)
        for path in sys.argv[1:]:
            checker = Checker()
            checker.feed(open(path).read())
            if checker.open: sys.exit("open: %s" % checker.open)
        """
      let result = try run(
        URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", program, "docs/post.html", "docs/index.html"],
        in: folder)
      #expect(result.status == 0, "\(result.error)")
    }
  }
}
