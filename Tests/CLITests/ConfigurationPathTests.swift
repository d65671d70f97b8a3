import Foundation
import TestSupport
import Testing

@Suite("Paths in .dflatc.json")
struct ConfigurationPathTests {
  /// The files below a folder that lint reports.
  private func linted(_ configuration: String, in folder: URL) throws -> Set<String> {
    try folder.write(configuration, to: ".dflatc.json")
    let result = try dflatc("lint", "--format", "line", ".", in: folder)
    return Set(result.output.split(separator: "\n").map { String($0.prefix { $0 != ":" }) })
  }

  private func withSchemas(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      for path in ["x.fbs", "third_party/x.fbs", "a/third_party/x.fbs"] { try folder.write("table bad {}\n", to: path) }
      // The path of the folder without links, as a program in it sees it.
      try body(folder.resolvingSymlinksInPath())
    }
  }

  @Test("A name with a slash at its end stands for files at whatever depth, and one with another slash for a path")
  func slashes() throws {
    try withSchemas { folder in
      for key in ["vendored", "exclude"] {
        for pattern in ["third_party", "third_party/"] {
          let found = try linted("{ \"\(key)\": [\"\(pattern)\"] }", in: folder)
          #expect(found == ["x.fbs"])
        }
        for pattern in ["./third_party", "./third_party/"] {
          let found = try linted("{ \"\(key)\": [\"\(pattern)\"] }", in: folder)
          #expect(found == ["x.fbs", "a/third_party/x.fbs"])
        }
      }
    }
  }

  @Test("An absolute path below the configuration's folder stands for the same as one from there")
  func absolutePathsBelow() throws {
    try withSchemas { folder in
      for key in ["vendored", "exclude"] {
        let plain = try linted("{ \"\(key)\": [\"\(folder.path)/third_party\"] }", in: folder)
        #expect(plain == ["x.fbs", "a/third_party/x.fbs"])
        let pattern = try linted("{ \"\(key)\": [\"\(folder.path)/*/third_*\"] }", in: folder)
        #expect(pattern == ["x.fbs", "third_party/x.fbs"])
      }
      let rules = #""lint": { "rules": { "names": "off" } }"#
      let found = try linted("{ \"overrides\": [{ \"paths\": [\"\(folder.path)/a\"], \(rules) }] }", in: folder)
      #expect(found == ["x.fbs", "third_party/x.fbs"])
    }
  }

  @Test("An absolute path that is not below the configuration's folder is an error at its place")
  func absolutePathsElsewhere() throws {
    try withSchemas { folder in
      for (text, column) in [
        ("{ \"vendored\": [\"a\", \"/third_party\"] }", 21), ("{ \"exclude\": [\"/third_party\"] }", 15),
        ("{ \"overrides\": [{ \"paths\": [\"/third_party\"] }] }", 29),
        ("{ \"allow\": [{ \"path\": \"/third_party\", \"rule\": \"type-removed\", \"reason\": \"x\" }] }", 23),
      ] {
        try folder.write(text, to: ".dflatc.json")
        let result = try dflatc("lint", "--format", "line", ".", in: folder)
        let message =
          ".dflatc.json:1:\(column): error: /third_party is an absolute path, and not below the folder of this file: "
          + "write \"./third_party\" for a path that starts at this folder [D0403]\n"
        #expect(result.status == 2 && result.output == message, "\(result.output)\(result.error)")
      }
    }
  }
}
