import Foundation
import TestSupport
import Testing

@Suite("extends of .dflatc.json")
struct ConfigurationExtensionTests {
  /// The lines that lint reports of a schema with a type and a field in another case, and without doc comments.
  private func lint(_ path: String = "x.fbs", in folder: URL) throws -> [String] {
    try folder.write("table bad {\n  aB: int;\n}\n", to: path)
    return try dflatc("lint", "--format", "line", path, in: folder).output.split(separator: "\n").map {
      "\($0.split(separator: " ").dropFirst().first ?? "") \($0.split(separator: " ").last ?? "")"
    }
  }

  @Test("A group that the extending file sets stands above single rules of the group in the base")
  func anOwnGroupStandsAboveSingleRulesOfTheBase() throws {
    try withFolder { folder in
      try folder.write(
        #"{ "lint": { "rules": { "names": "off", "type-case": "error", "field-case": "warning" } } }"#, to: "base.json")
      try folder.write(#"{ "extends": "base.json" }"#, to: ".dflatc.json")
      #expect(try lint(in: folder) == ["error: [type-case]", "warning: [field-case]"])
      try folder.write(#"{ "extends": "base.json", "lint": { "rules": { "names": "off" } } }"#, to: ".dflatc.json")
      #expect(try lint(in: folder) == [])
      // Within one file, a single rule stands above its group, wherever it is written.
      try folder.write(
        #"{ "lint": { "rules": { "type-case": "note", "names": "off" } }, "extends": "base.json" }"#, to: ".dflatc.json"
      )
      #expect(try lint(in: folder) == ["note: [type-case]"])
    }
  }

  @Test("The rules of the extending file stand above overrides of the base, and below its own")
  func ownRulesStandAboveOverridesOfTheBase() throws {
    try withFolder { folder in
      try folder.write(
        #"""
        { "overrides": [{ "paths": ["legacy"], "lint": { "rules": { "names": "off" } }, "rules": { "field-type": "off" } }] }
        """#, to: "base.json")
      try folder.write(#"{ "extends": "base.json" }"#, to: ".dflatc.json")
      #expect(try lint("legacy/x.fbs", in: folder) == [])
      let own = #""lint": { "rules": { "type-case": "error" } }, "rules": { "field-type": "warning" }"#
      try folder.write("{ \"extends\": \"base.json\", \(own) }", to: ".dflatc.json")
      #expect(try lint("legacy/x.fbs", in: folder) == ["error: [type-case]"])
      try folder.write("table T { a: int; }\nroot_type T;\n", to: "legacy/old.fbs")
      try folder.write("table T { a: long; }\nroot_type T;\n", to: "legacy/new.fbs")
      let check = try dflatc("check", "--format", "line", "legacy/old.fbs", "legacy/new.fbs", in: folder)
      #expect(check.status == 0 && check.output.contains(": warning: "), "\(check.output)")
      try folder.write(
        "{ \"overrides\": [{ \"paths\": [\"legacy\"], \"lint\": { \"rules\": { \"type-case\": \"note\" } } }], "
          + "\"extends\": \"base.json\", \(own) }", to: ".dflatc.json")
      #expect(try lint("legacy/x.fbs", in: folder) == ["note: [type-case]"])
    }
  }

  @Test("Of two configurations that are extended, the later one counts, and what both extend counts less than either")
  func theLaterOfTwoCounts() throws {
    try withFolder { folder in
      func rules(_ type: String, _ extended: String = "") -> String {
        "{ \(extended)\"lint\": { \"rules\": { \"type-case\": \"\(type)\", \"field-case\": \"off\" } } }"
      }
      try folder.write(rules("error"), to: "root.json")
      try folder.write(rules("note", "\"extends\": \"root.json\", "), to: "one.json")
      try folder.write(#"{ "extends": "root.json" }"#, to: "two.json")
      try folder.write(rules("warning"), to: "three.json")
      try folder.write(#"{ "extends": ["one.json", "two.json"] }"#, to: ".dflatc.json")
      #expect(try lint(in: folder) == ["note: [type-case]"])
      try folder.write(#"{ "extends": ["one.json", "three.json"] }"#, to: ".dflatc.json")
      #expect(try lint(in: folder) == ["warning: [type-case]"])
    }
  }

  @Test("A dot among what a base leaves out is the folder of the base, and nothing outside of it")
  func aDotOfABase() throws {
    try withFolder { folder in
      try folder.write(#"{ "exclude": ["."] }"#, to: "shared/base.json")
      try folder.write(#"{ "extends": "base.json" }"#, to: "shared/.dflatc.json")
      try folder.write(#"{ "extends": "../shared/base.json" }"#, to: "app/.dflatc.json")
      #expect(try lint("shared/x.fbs", in: folder) == [])
      #expect(try !lint("app/x.fbs", in: folder).isEmpty)
    }
  }

  @Test("A configuration that is extended in many ways is read once")
  func eachConfigurationIsReadOnce() throws {
    try withFolder { folder in
      // To read it each time would be 6^14 times, which takes longer than a run is given.
      let count = 15
      for number in 0..<count {
        let next = Array(repeating: "\"\(number + 1).json\"", count: 6).joined(separator: ", ")
        try folder.write(
          number + 1 < count
            ? "{ \"extends\": [\(next)], \"vendored\": [\"v\(number)\"] }"
            : #"{ "lint": { "rules": { "field-case": "off", "type-case": "error" } }, "nonsense": 1 }"#,
          to: number == 0 ? ".dflatc.json" : "\(number).json")
      }
      let wrong = try dflatc("lint", "--format", "line", "x.fbs", in: folder)
      #expect(wrong.output.split(separator: "\n").count == 1, "\(wrong.output.prefix(1000))")
      try folder.write(
        #"{ "lint": { "rules": { "field-case": "off", "type-case": "error" } } }"#, to: "\(count - 1).json")
      #expect(try lint(in: folder) == ["error: [type-case]"])
    }
  }
}
