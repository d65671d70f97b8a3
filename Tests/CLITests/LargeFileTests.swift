import Foundation
import TestSupport
import Testing

@Suite("Files of 4 GiB and more")
struct LargeFileTests {
  /// Sparse: it takes no room on the disk.
  private func makeFile(_ name: String, in folder: URL) throws {
    try folder.write("table T { a: int; }", to: name)
    let file = try FileHandle(forWritingTo: folder.appending(path: name))
    try file.truncate(atOffset: 1 << 32)
    try file.close()
  }

  /// Runs `dflatc` with too little memory to read such a file: a program that tries to fails, on
  /// a machine of any speed. (macOS knows no such limit.)
  private func dflatcWithLittleMemory(_ arguments: String..., in folder: URL) throws -> ProcessResult {
    let limit = "ulimit -v 2000000 2>/dev/null; exec \"$0\" \"$@\""
    return try run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", limit, productsFolder.appending(path: "dflatc").path] + arguments, in: folder)
  }

  @Test("compile and format refuse files of 4 GiB and more")
  func refused() throws {
    try withFolder { folder in
      try makeFile("a.fbs", in: folder)
      let compiled = try dflatcWithLittleMemory("compile", "--emit", "json", "-o", ".", "a.fbs", in: folder)
      #expect(compiled.status == 1 && compiled.error.contains("error[D0109]"), "\(compiled.error)")
      #expect(compiled.error.contains("--> a.fbs:1:1"))
      let formatted = try dflatcWithLittleMemory("format", "a.fbs", in: folder)
      #expect(formatted.status == 3 && formatted.error.contains("4294967295"), "\(formatted.error)")
      try folder.write("include \"a.fbs\"; table U { a: int; }", to: "b.fbs")
      let included = try dflatcWithLittleMemory("compile", "--emit", "json", "-o", ".", "b.fbs", in: folder)
      #expect(included.status == 1 && included.error.contains("error[D0109]"))
    }
  }
}
