import Foundation
import TestSupport
import Testing

@Suite("Inputs that dflatc check cannot read are named")
struct CheckInputTests {
  private let post = "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"

  /// A folder `s` with a schema, whose check against itself is fine.
  private func withSchemas(_ body: (URL, URL) throws -> Void) throws {
    try withFolder { folder in
      let schemas = folder.appending(path: "s")
      try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: true)
      try schemas.write(post, to: "post.fbs")
      try body(folder, schemas)
    }
  }

  private func link(_ name: String, to target: String, in folder: URL) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: name).path, withDestinationPath: target)
  }

  @Test("Folders may have links in circles, folders and pipes that are called as schemas, and hidden files")
  func oddFolders() throws {
    try withSchemas { folder, schemas in
      for name in ["sub", "a.fbs", ".git"] {
        try FileManager.default.createDirectory(
          at: schemas.appending(path: name), withIntermediateDirectories: true)
      }
      try link("sub/up", to: "..", in: schemas)
      try link("sub/self", to: "self", in: schemas)
      try link("b.fbs", to: "sub", in: schemas)
      try schemas.write("no schema", to: ".hidden.fbs")
      try schemas.write("no schema", to: ".git/x.fbs")
      #expect(mkfifo(schemas.appending(path: "pipe.fbs").path, 0o600) == 0)
      let result = try dflatc("check", "s", "s", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      try FileManager.default.removeItem(at: schemas.appending(path: "post.fbs"))
      let empty = try dflatc("check", "s", "s", in: folder)
      #expect(empty.status == 3 && empty.error.contains("OLD: there is no schema (.fbs) in s"))
    }
  }

  @Test("The error for a file that cannot be read names the file and its side")
  func unreadable() throws {
    try withSchemas { folder, schemas in
      for (target, reason) in [("nowhere", "there is no such file"), ("a.fbs", "symbolic links")] {
        try link("a.fbs", to: target, in: schemas)
        let result = try dflatc("check", "s/post.fbs", "s", in: folder)
        #expect(
          result.status == 3 && result.error.hasPrefix("error: NEW: cannot read s/a.fbs: ")
            && result.error.contains(reason), "\(result.error)")
        try FileManager.default.removeItem(at: schemas.appending(path: "a.fbs"))
      }
      // Root may read everything.
      if geteuid() != 0 {
        try schemas.write(post, to: "secret.fbs")
        let secret = schemas.appending(path: "secret.fbs").path
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret)
        #expect(try dflatc("check", "s", "s", in: folder).error.contains("cannot read s/secret.fbs: Permission denied"))
        try FileManager.default.removeItem(atPath: secret)
      }
      #expect(try dflatc("check", "", "s", in: folder).status == 3)
      #expect(try dflatc("check", "s/post.fbs/x", "s", in: folder).status == 3)
    }
  }

  #if os(Linux)
    @Test("The error for a file name that is not UTF-8 says so")
    func names() throws {
      try withSchemas { folder, schemas in
        var path = Array(schemas.path.utf8CString.dropLast())
        path += [0x2F, 0x63, CChar(bitPattern: 0xE9), 0x2E, 0x66, 0x62, 0x73, 0]
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        #expect(close(descriptor) == 0)
        let result = try dflatc("check", "s", "s", in: folder)
        #expect(result.status == 3 && result.error.contains("its name is not UTF-8"), "\(result.error)")
        #expect(remove(path) == 0)
      }
    }
  #endif

  @Test("Twenty megabytes that are no schema give a few lines of errors")
  func large() throws {
    try withSchemas { folder, schemas in
      for (name, byte) in [("words.fbs", UInt8(ascii: "a")), ("zeros.fbs", 0), ("lines.fbs", UInt8(ascii: "\n"))] {
        try Data(repeating: byte, count: 20_000_000).write(to: folder.appending(path: name))
        let result = try dflatc("check", name, "s", in: folder)
        #expect(result.status == 3 && result.error.hasPrefix("error: OLD: \(name) has errors"))
        #expect(result.error.utf8.count < 5_000, "\(name): \(result.error.utf8.count)")
        try FileManager.default.removeItem(at: folder.appending(path: name))
      }
      try Data("....BFBS".utf8 + [UInt8](repeating: 0, count: 20_000_000)).write(to: folder.appending(path: "a.bfbs"))
      #expect(
        try dflatc("check", "s", "a.bfbs", in: folder).error.hasPrefix("error: NEW: cannot read a.bfbs: it is damaged"))
    }
  }

  @Test("A report in JSON of every fixture is as its schema says")
  func json() throws {
    let folder = packageFolder.appending(path: "Fixtures/evolution")
    var count = 0
    for name in try folder.names() where name != "allowed" {
      let place = folder.appending(path: name)
      let suffix = try place.names().contains("old.fbs") ? ".fbs" : ""
      let result = try dflatc("check", "--format", "json", "old" + suffix, "new" + suffix, in: place)
      let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
      try checkAgainstSchema(try #require(report as? [String: Any]))
      count += 1
    }
    #expect(count > 30)
  }
}
