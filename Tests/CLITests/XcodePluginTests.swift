import Foundation
import TestSupport
import Testing

/// The plug-ins in Xcode projects, as far as can be tested without Xcode: against modules that stand in for its own.
@Suite("The plug-ins in Xcode projects")
struct XcodePluginTests {
  private let standIns = packageFolder.appending(path: "Tests/XcodeStandIn")

  @Test(
    "The branch for Xcode compiles, without warnings, with SwiftPM's module and one that stands in for Xcode's",
    arguments: ["DflatPlugin", "DflatGenerate", "DflatCheck"])
  func compiles(plugin: String) throws {
    try withFolder { folder in
      let info = try runTool("swiftc", ["-print-target-info"])
      let json = try #require(try JSONSerialization.jsonObject(with: info) as? [String: Any])
      let resources = try #require((json["paths"] as? [String: Any])?["runtimeResourcePath"] as? String)
      let packagePlugin = ["-I", resources + "/pm/PluginAPI", "-package-description-version", "6.0.0"]
      try emitModule("XcodeProjectPlugin", packagePlugin, in: folder)
      let sources = try sources(of: plugin)
      try runTool(
        "swiftc",
        ["-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-I", folder.path]
          + packagePlugin + sources.map(\.path))
      // Not without the branch.
      #expect(try sources.contains { try String(contentsOf: $0, encoding: .utf8).contains(": Xcode") })
    }
  }

  @Test("A target's schemas are compiled wherever they stand, with the options of the target or the project")
  func buildTool() throws {
    try withFolder { folder in
      let program = try build("DflatPlugin", drivenBy: "Driver", in: folder)
      try folder.write("namespace A; table Item { n: int; }\n", to: "Project/App/Models/item.fbs")
      try folder.write("namespace A; table Part { item: Item; }\ninclude \"item.fbs\";\n", to: "Project/App/part.txt")
      try folder.write("table Item { n: int; }\n", to: "Project/Widget/item.fbs")
      try folder.write("table Shared { n: int; }\n", to: "Shared/shared.fbs")
      try folder.write(#"{ "emit": ["accessors"] }"#, to: "Project/dflatc.json")
      try folder.write(#"{ "emit": ["accessors", "editors"], "namespaces": "none" }"#, to: "Project/Widget/dflatc.json")
      try folder.write(#"{ "emit": ["data-model", "accessors"], "exclude": ["Drafts"] }"#, to: "Shared/dflatc.json")
      try folder.write("table Draft {", to: "Shared/Drafts/draft.fbs")
      let output = try runTool(
        program,
        [
          folder.appending(path: "Project").path, productsFolder.appending(path: "dflatc").path,
          "App=App/Models/item.fbs,App/part.txt", "Widget=Widget/item.fbs",
          "Both=../Shared/shared.fbs,../Shared/Drafts/draft.fbs", "None=App/part.txt",
        ])
      #expect(
        String(decoding: output, as: UTF8.self) == """
          App: Compiling item.fbs
          inputs: item.fbs dflatc.json
          written: App_Models_item_generated.swift
          written: Dflat_namespaces.swift
          Widget: Compiling item.fbs
          inputs: item.fbs dflatc.json
          written: Widget_item_generated.swift
          written: Widget_item_editors_generated.swift
          Both: Compiling shared.fbs
          inputs: shared.fbs draft.fbs dflatc.json
          written: Shared_shared_generated.swift
          written: Shared_shared_data_model_generated.swift
          written: Dflat_namespaces.swift

          """)
    }
  }

  @Test("Comments in the options of a target, and a byte order mark, hide none of the options")
  func commentsInOptions() throws {
    try withFolder { folder in
      let program = try build("DflatPlugin", drivenBy: "Driver", in: folder)
      try folder.write("namespace A; table Item { n: int; }\n", to: "Project/App/item.fbs")
      try folder.write("table Draft {", to: "Project/App/Old/drafts/draft.fbs")
      try folder.write(
        """
        \u{FEFF}{ // It has "quotes".
          "emit": ["accessors", /* "query", // */ "editors"],
          "namespaces": "none", // The app declares them.
          "exclude": ["Old//drafts", "a\\"/*"]
        }
        """, to: "Project/App/dflatc.json")
      let output = try runTool(
        program,
        [
          folder.appending(path: "Project").path, productsFolder.appending(path: "dflatc").path,
          "App=App/item.fbs,App/Old/drafts/draft.fbs",
        ])
      #expect(
        String(decoding: output, as: UTF8.self) == """
          App: Compiling item.fbs
          inputs: item.fbs draft.fbs dflatc.json
          written: App_item_generated.swift
          written: App_item_editors_generated.swift

          """)
    }
  }

  @Test("`exclude` means for the plug-in what it means for dflatc: a name at any depth, or with a slash in it a path")
  func excludedPaths() throws {
    try withFolder { folder in
      let program = try build("DflatPlugin", drivenBy: "Driver", in: folder)
      let schemas = ["drafts/a.fbs", "models/drafts/b.fbs", "models/c.fbs"]
      for (index, schema) in schemas.enumerated() {
        try folder.write("table T\(index) { n: int; }\n", to: "Project/App/" + schema)
      }
      for (excluded, kept) in [
        ("drafts", ["models/c.fbs"]), ("drafts/", ["models/c.fbs"]),
        ("./drafts", ["models/drafts/b.fbs", "models/c.fbs"]),
        ("models/../drafts/", ["models/drafts/b.fbs", "models/c.fbs"]), ("drafts/../models", ["drafts/a.fbs"]),
        ("../App/drafts", ["models/drafts/b.fbs", "models/c.fbs"]), (".", []),
        ("\(folder.path)/Project/App/models", ["drafts/a.fbs"]),
      ] {
        try folder.write(
          #"{ "emit": ["accessors"], "namespaces": "none", "exclude": ["\#(excluded)"] }"#,
          to: "Project/App/dflatc.json")
        let output = try runTool(
          program,
          [
            folder.appending(path: "Project").path, productsFolder.appending(path: "dflatc").path,
            "App=" + schemas.map { "App/" + $0 }.joined(separator: ","),
          ])
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        let written = kept.map { "written: App_\($0.dropLast(4).replacing("/", with: "_"))_generated.swift" }
        #expect(lines.filter { $0.hasPrefix("written: ") } == written, "\(excluded): \(lines)")
      }
    }
  }

  @Test("The command depends on all schemas that the target's schemas include, wherever they stand, and on each once")
  func includedSchemas() throws {
    try withFolder { folder in
      let program = try build("DflatPlugin", drivenBy: "Driver", in: folder)
      for target in ["Plain", "All", "Listed"] {
        let path = "Project/" + target
        try folder.write("table Deep { n: int; }\n", to: path + "/ThirdParty/deep.fbs")
        try folder.write("include \"deep.fbs\";\ntable Base { deep: Deep; }\n", to: path + "/ThirdParty/base.fbs")
        try folder.write("include \"ThirdParty/base.fbs\";\ntable Post { base: Base; }\n", to: path + "/post.fbs")
      }
      let options = #""emit": ["accessors"], "namespaces": "none""#
      try folder.write("{ \(options) }", to: "Project/dflatc.json")
      try folder.write("{ \(options), \"genAll\": true }", to: "Project/All/dflatc.json")
      try folder.write("{ \(options), \"exclude\": [\"ThirdParty\"] }", to: "Project/Listed/dflatc.json")
      let output = try runTool(
        program,
        [
          folder.appending(path: "Project").path, productsFolder.appending(path: "dflatc").path,
          "Plain=Plain/post.fbs", "All=All/post.fbs", "Listed=Listed/post.fbs,Listed/ThirdParty/base.fbs",
        ])
      #expect(
        String(decoding: output, as: UTF8.self) == """
          Plain: Compiling post.fbs
          inputs: post.fbs dflatc.json base.fbs deep.fbs
          written: Plain_post_generated.swift
          All: Compiling post.fbs
          inputs: post.fbs dflatc.json base.fbs deep.fbs
          written: All_post_generated.swift
          written: All_ThirdParty_base_generated.swift
          written: All_ThirdParty_deep_generated.swift
          Listed: Compiling post.fbs
          inputs: post.fbs base.fbs dflatc.json deep.fbs
          written: Listed_post_generated.swift

          """)
    }
  }

  @Test("dflat-check reads options with comments, fails if a target's cannot be read, and says if nothing is checked")
  func optionsOfTheCheck() throws {
    try withFolder { folder in
      let program = try build("DflatCheck", drivenBy: "CheckDriver", in: folder)
      let schema = "table Item { n: int; }\n"
      try folder.write(schema, to: "Released/item.fbs")
      let project = folder.appending(path: "Project").path
      func check(_ schema: String, options: String) throws -> ProcessResult {
        try folder.write(schema, to: "Project/App/item.fbs")
        try folder.write(options, to: "Project/App/dflatc.json")
        return try run(
          URL(filePath: program), [project, productsFolder.appending(path: "dflatc").path, "App"], in: folder)
      }
      let options = "{ // The version that users have:\n  \"against\": \"../../Released\" }\n"
      let same = try check(schema, options: options)
      #expect(same.status == 0 && same.output == "App: checked\n", "\(same.output)\(same.error)")
      let changed = try check("table Item { n: long; }\n", options: options)
      #expect(changed.status == 1 && changed.error.contains("error[field-type]"), "\(changed.output)\(changed.error)")
      #expect(changed.output.contains("the schemas of App may not replace their earlier version"))
      let nothing = try check("table Item {", options: "{}")
      let note = """
        note: App: nothing is checked: its Swift is made by the build, and there is no earlier version; say --against git:REF, \
        or "against" in dflatc.json

        """
      #expect(nothing.status == 0 && nothing.output == note, "\(nothing.output)\(nothing.error)")
      for mistake in ["{ \"against\" \"../../Released\" }", "{ /* }", "[]"] {
        let unreadable = try check(schema, options: mistake)
        #expect(unreadable.status == 1 && unreadable.error.contains("App/dflatc.json:1:"), "\(unreadable.error)")
        #expect(unreadable.output == "the options of App cannot be read\n", "\(unreadable.output)")
      }
    }
  }

  /// Compiles a plug-in with a program that plays Xcode's part.
  /// - Parameter driver: The name of the program's file.
  /// - Returns: The path of the program, which is in `folder`.
  private func build(_ plugin: String, drivenBy driver: String, in folder: URL) throws -> String {
    try emitModule("PackagePlugin", in: folder)
    try emitModule("XcodeProjectPlugin", in: folder)
    var sources = try sources(of: plugin).map(\.path)
    let main = try #require(sources.firstIndex { $0.hasSuffix("/\(plugin).swift") })
    let text = try String(contentsOfFile: sources[main], encoding: .utf8)
    sources[main] = try folder.write(text.replacingOccurrences(of: "@main\n", with: ""), to: plugin + ".swift")
    sources.append(standIns.appending(path: driver + ".swift").path)
    let program = folder.appending(path: "driver").path
    let libraries = ["libXcodeProjectPlugin.a", "libPackagePlugin.a"]
    try runTool("swiftc", ["-parse-as-library", "-I", folder.path, "-o", program] + sources + libraries, in: folder)
    return program
  }

  /// Compiles a module that stands in for another to `folder`, with a library to link it.
  private func emitModule(_ name: String, _ arguments: [String] = [], in folder: URL) throws {
    try runTool(
      "swiftc",
      ["-parse-as-library", "-swift-version", "6", "-emit-module", "-module-name", name, "-I", folder.path]
        + ["-emit-library", "-static", "-o", folder.appending(path: "lib\(name).a").path]
        + arguments + [standIns.appending(path: name + ".swift").path], in: folder)
  }

  /// The Swift files of a plug-in, with those that it shares with the others.
  private func sources(of plugin: String) throws -> [URL] {
    try [plugin, "PluginSupport"].flatMap { folder in
      let url = packageFolder.appending(path: "Plugins/" + folder)
      return try url.names().filter { $0.hasSuffix(".swift") }.map { url.appending(path: $0) }
    }
  }
}
