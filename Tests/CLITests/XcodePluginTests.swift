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
      try emitModule("PackagePlugin", in: folder)
      try emitModule("XcodeProjectPlugin", in: folder)
      // Xcode's part is played by the driver.
      var sources = try sources(of: "DflatPlugin").map(\.path)
      let main = try #require(sources.firstIndex { $0.hasSuffix("/DflatPlugin.swift") })
      let text = try String(contentsOfFile: sources[main], encoding: .utf8)
      sources[main] = try folder.write(text.replacingOccurrences(of: "@main\n", with: ""), to: "DflatPlugin.swift")
      sources.append(standIns.appending(path: "Driver.swift").path)
      let program = folder.appending(path: "driver").path
      let libraries = ["libXcodeProjectPlugin.a", "libPackagePlugin.a"]
      try runTool(
        "swiftc", ["-parse-as-library", "-I", folder.path, "-o", program] + sources + libraries, in: folder)

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
