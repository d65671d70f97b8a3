import Foundation
import TestSupport
import Testing

@Suite("Schemas of several configurations in one run")
struct SeveralConfigurationTests {
  private static let orders = [["a/a.fbs", "b/b.fbs"], ["b/b.fbs", "a/a.fbs"], ["a", "b"], ["b", "a"]]

  /// Writes two schemas, each of which includes a file of one name from the folder that its own configuration names.
  private func withSchemas(_ body: (GitRepository) throws -> Void) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      for (place, name) in [("a", "A"), ("b", "B")] {
        try repository.write("{ \"include\": [\"../inc-\(place)\"] }", to: "\(place)/.dflatc.json")
        try repository.write("table \(name) {\n  x: int;\n}\n", to: "inc-\(place)/common.fbs")
        try repository.write(
          "include \"common.fbs\";\n\ntable In\(name) {\n  field: \(name);\n}\n", to: "\(place)/\(place).fbs")
      }
      try repository.commitAll()
      try body(repository)
    }
  }

  @Test("Each schema includes from the folders of its own configuration, in every order", arguments: orders)
  func ownFolders(_ paths: [String]) throws {
    try withSchemas { repository in
      for command in [
        ["lint"], ["compile", "--emit", "bfbs", "-o", "out"], ["check", "--against", "git:HEAD"],
        ["check", "--gen-all", "--against", "git:HEAD"],
      ] {
        let result = try run(productsFolder.appending(path: "dflatc"), command + paths, in: repository.folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(command): \(result.error)")
      }
      try repository.write("table B {\n  x: long;\n}\n", to: "inc-b/common.fbs")
      let arguments = ["check", "--against", "git:HEAD"] + paths
      let changed = try run(productsFolder.appending(path: "dflatc"), arguments, in: repository.folder)
      #expect(changed.status == 1 && changed.error.contains("--> inc-b/common.fbs:2:6\n"), "\(changed.error)")
    }
  }

  @Test("Two folders are compared with the configurations of the folders in them")
  func foldersInside() throws {
    try withSchemas { repository in
      for version in ["old", "new"] {
        for place in ["a", "b"] {
          try repository.write("{ \"include\": [\"../../inc-\(place)\"] }", to: "\(version)/\(place)/.dflatc.json")
          let text = try String(contentsOf: repository.folder.appending(path: "\(place)/\(place).fbs"), encoding: .utf8)
          try repository.write(text, to: "\(version)/\(place)/\(place).fbs")
        }
      }
      let result = try repository.dflatc("check", "old", "new")
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    }
  }

  @Test("Of several folders that are compared with a commit, a schema includes from its own", arguments: [0, 1])
  func ownRoots(_ first: Int) throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      for (place, name) in [("a", "A"), ("b", "B")] {
        try repository.write("table \(name) { x: int; }\n", to: "\(place)/common.fbs")
        try repository.write(
          "include \"common.fbs\";\ntable In\(name) { field: \(name); }\n", to: "\(place)/deep/\(place).fbs")
      }
      try repository.commitAll()
      let places = ["a", "b"]
      let result = try repository.dflatc("check", "--against", "git:HEAD", places[first], places[1 - first])
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    }
  }

  @Test("Options of generated Swift in one of several configurations are refused in every order")
  func generatedSwift() throws {
    try withSchemas { repository in
      try repository.write("{ \"swift\": { \"output\": \"../Generated\" } }", to: "b/.dflatc.json")
      for paths in Self.orders {
        let result = try run(productsFolder.appending(path: "dflatc"), ["compile"] + paths, in: repository.folder)
        #expect(result.status == 2 && result.error.contains("several configurations"), "\(paths): \(result.error)")
      }
    }
  }

  @Test("Options of generated Swift are not refused where no Swift is written, in every order", arguments: orders)
  func nothingOfSwift(_ paths: [String]) throws {
    try withSchemas { repository in
      func compile(_ arguments: [String], _ swift: String) throws -> ProcessResult {
        try repository.write("{ \"include\": [\"../inc-b\"], \"swift\": { \(swift) } }", to: "b/.dflatc.json")
        let command = ["compile"] + arguments + paths
        return try run(productsFolder.appending(path: "dflatc"), command, in: repository.folder)
      }
      let swift = #""output": "../Generated", "access": "internal""#
      let schemas = try compile(["--emit", "bfbs", "-o", "out"], swift)
      #expect(schemas.status == 0, "\(schemas.error)")
      // Whether included files are compiled changes every output, and plug-ins are told the access level.
      for (arguments, options) in [
        (["--emit", "bfbs"], swift), (["-o", "out"], swift), (["--emit", "accessors", "-o", "out"], swift),
        (["--emit", "bfbs", "-o", "out"], swift + #", "genAll": true"#),
        (["--emit", "bfbs", "-o", "out", "--plugin", "own"], swift),
      ] {
        let result = try compile(arguments, options)
        #expect(result.status == 2 && result.error.contains("several configurations"), "\(arguments): \(result.error)")
      }
    }
  }

  @Test("Two paths of one configuration with options of generated Swift are not refused")
  func pathsOfOneConfiguration() throws {
    try withSchemas { repository in
      try repository.write("{ \"swift\": { \"output\": \"../Generated\" } }", to: "b/.dflatc.json")
      try repository.write("table B { x: int; }\n", to: "b/common.fbs")
      let same = try repository.dflatc("compile", "--emit", "bfbs", "./b", "b/b.fbs")
      #expect(same.status == 0, "\(same.error)")
    }
  }
}
