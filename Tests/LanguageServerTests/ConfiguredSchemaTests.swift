import Foundation
import LanguageServer
import Testing

/// What a team has set for its schemas holds in an editor as it does for the commands.
@Suite("Configured schemas in the language server")
struct ConfiguredSchemaTests {
  /// A schema that no store holds, with a name that the linter finds.
  private static let text = "table bad_name{a:int;}\nroot_type bad_name;\n"

  private func codes(
    _ settings: [String: HostConfiguration] = [:], options: [String: Any] = [:], of path: String = "/w/a.fbs"
  ) throws -> [String] {
    var client = try EditorClient(options: options)
    client.host.ownSettings = settings
    client.open(path, Self.text)
    client.run()
    return try #require(client.codes(path))
  }

  @Test("The emitters of a schema's configuration decide which rules it follows, unless the editor names emitters")
  func emitters() throws {
    let binary = ["/w/a.fbs": HostConfiguration(emit: ["bfbs"])]
    #expect(try codes().contains("D0251"))
    #expect(try codes(binary) == ["type-case"])
    #expect(try codes(binary, of: "/w/b.fbs").contains("D0251"))
    #expect(try codes(binary, options: ["emit": [] as [String]]) == ["type-case"])
    #expect(try codes(binary, options: ["emit": ["accessors", "data-model"]]).contains("D0251"))
  }

  @Test("A vendored or excluded schema has the errors of the compiler, and no findings of the linter")
  func excluded() throws {
    for settings in [
      HostConfiguration(emit: ["bfbs"], isExcluded: { $0 == "/w/a.fbs" }),
      HostConfiguration(emit: ["bfbs"], isVendored: { $0 == "/w/a.fbs" }),
    ] {
      #expect(try codes(["/w/a.fbs": settings]) == [])
      #expect(try codes(["/w/b.fbs": settings], of: "/w/b.fbs") == ["type-case"])
      var client = try EditorClient()
      client.host.settings = settings
      client.open("/w/a.fbs", "table T { a: Nothing; }")
      client.run()
      #expect(client.codes("/w/a.fbs")?.count == 1)
    }
  }

  @Test("A rename follows the include folders of each schema's own configuration")
  func renameWithTwoConfigurations() throws {
    var files: [String: String] = [:]
    for root in ["/w/a", "/w/b"] {
      files[root + "/inc/common.fbs"] = "table Common {\n  a: int;\n}\n"
      files[root + "/s/main.fbs"] = "include \"common.fbs\";\ntable Main {\n  common: Common;\n}\n"
    }
    var client = try EditorClient(files)
    for path in files.keys {
      client.host.ownSettings[path] = HostConfiguration(includePaths: [String(path.prefix(4)) + "/inc"])
    }
    client.open("/w/b/s/main.fbs")
    let result = try client.request(
      "textDocument/rename", client.place("/w/b/s/main.fbs", 2, 10).merging(["newName": "Shared"]) { $1 })
    let changes = try #require((result as? [String: Any])?["changes"] as? [String: Any])
    #expect(Set(changes.keys) == ["file:///w/b/inc/common.fbs", "file:///w/b/s/main.fbs"])
  }

  @Test(
    "A rename reaches a schema that includes one with another configuration, whose includes are in folders of its own",
    arguments: ["/w/lib/inc", "/w/lib/types"])
  func renameAcrossConfigurations(_ folder: String) throws {
    // The second folder is none of the include folders: it is found because a schema of the workspace is in it.
    let types = folder + "/types.fbs"
    var client = try EditorClient([
      types: "table Money {\n  a: int;\n}\n",
      "/w/lib/base.fbs": "include \"types.fbs\";\ntable Base {\n  m: Money;\n}\n",
      "/w/app/app.fbs": "include \"../lib/base.fbs\";\ntable App {\n  b: Base;\n  price: Money;\n}\n",
    ])
    for path in [types, "/w/lib/base.fbs"] {
      client.host.ownSettings[path] = HostConfiguration(includePaths: ["/w/lib/inc"])
    }
    client.open(types)
    let result = try client.request("textDocument/rename", client.place(types, 0, 6).merging(["newName": "Sum"]) { $1 })
    let changes = try #require((result as? [String: Any])?["changes"] as? [String: Any])
    #expect(
      Set(changes.keys) == ["file://" + types, "file:///w/lib/base.fbs", "file:///w/app/app.fbs"])
  }

  @Test("A vendored or excluded schema is not laid out: the result is null, also for one with syntax errors")
  func formatting() throws {
    for settings in [
      HostConfiguration(isVendored: { $0 == "/w/a.fbs" }), HostConfiguration(isExcluded: { $0 == "/w/a.fbs" }),
    ] {
      var client = try EditorClient()
      client.host.settings = settings
      for (path, text) in [("/w/a.fbs", Self.text), ("/w/b.fbs", Self.text), ("/w/a.fbs", "table {")] {
        client.open(path, text)
        let range: [String: Any] = ["start": ["line": 0, "character": 0], "end": ["line": 0, "character": 22]]
        let ranged = client.document(path).merging(["range": range]) { $1 }
        let typed = client.place(path, 0, 22).merging(["ch": "}"]) { $1 }
        for (method, params) in [
          ("formatting", client.document(path)), ("rangeFormatting", ranged), ("onTypeFormatting", typed),
        ] {
          let result = try client.request("textDocument/\(method)", params)
          #expect(path == "/w/a.fbs" ? result is NSNull : (result as? [Any])?.isEmpty == false, "\(method)")
        }
        client.close(path)
      }
    }
  }

  @Test("With a mistake in the configuration nothing is laid out or fixed on saving, and a request hears the reason")
  func mistake() throws {
    var client = try EditorClient()
    client.host.settings.mistake = "it is broken"
    let text = "table T{a:int;}  \n"
    client.open("/w/a.fbs", text)
    let range: [String: Any] = ["start": ["line": 0, "character": 0], "end": ["line": 0, "character": 15]]
    let ranged = client.document("/w/a.fbs").merging(["range": range]) { $1 }
    for (method, params) in [("formatting", client.document("/w/a.fbs")), ("rangeFormatting", ranged)] {
      let error = try client.answer("textDocument/\(method)", params)["error"] as? [String: Any]
      #expect(error?["code"] as? Int == -32803 && error?["message"] as? String == "it is broken")
    }
    let typed = client.place("/w/a.fbs", 0, 15).merging(["ch": "}"]) { $1 }
    #expect(try client.request("textDocument/onTypeFormatting", typed) is NSNull)
    let saving = ranged.merging(["context": ["diagnostics": [], "only": ["source.fixAll"]]]) { $1 }
    #expect((try client.request("textDocument/codeAction", saving) as? [Any])?.isEmpty == true)
    client.host.settings.mistake = nil
    #expect((try client.request("textDocument/formatting", client.document("/w/a.fbs")) as? [Any])?.isEmpty == false)
    #expect((try client.request("textDocument/codeAction", saving) as? [Any])?.count == 1)
  }

  @Test("Warnings about vendored files are dropped, and their errors are not")
  func warnings() throws {
    let warned = "table Other {\n  a: string = \"x\" (required);\n}\n"
    func codes(_ own: HostConfiguration, _ included: HostConfiguration, _ text: String = warned) throws -> [String] {
      var client = try EditorClient(["/w/sub/b.fbs": text], options: ["emit": ["bfbs"]])
      client.host.ownSettings = ["/w/a.fbs": own, "/w/sub/b.fbs": included]
      client.open("/w/a.fbs", "include \"sub/b.fbs\";\ntable T {\n  a: Other;\n}\n")
      client.run()
      return client.codes("/w/sub/b.fbs") ?? []
    }
    let (plain, vendored) = (HostConfiguration(), HostConfiguration(isVendored: { $0 == "/w/sub/b.fbs" }))
    #expect(try codes(plain, plain) == ["D0229"])
    #expect(try codes(vendored, plain) == [])
    #expect(try codes(plain, vendored) == [])
    #expect(try codes(vendored, vendored, "table Other { a: Nothing; }").count == 1)
    // Its own warnings are those of a vendored file, too.
    for (settings, expected) in [(plain, ["D0229"]), (vendored, [])] {
      var client = try EditorClient(options: ["emit": ["bfbs"]])
      client.host.settings = settings
      client.open("/w/sub/b.fbs", warned)
      client.run()
      #expect(client.codes("/w/sub/b.fbs") == expected)
    }
  }
}
