import Emitters
import Foundation

/// The folder that generated files go to.
struct OutputFolder {
  /// Why a file could not be written.
  struct WriteError: Error {
    let path: String
    let reason: String
  }

  let path: String

  /// Writes the files that differ from what is there, and leaves the rest alone, so that builds stay incremental.
  ///
  /// Every file is first written in full beside its place, and only when all are is each moved into it: a full disk or a
  /// killed process leaves either the old file or the new one, never a half.
  /// - Returns: The names of the files that changed.
  @discardableResult
  func write(_ files: [GeneratedFile]) throws(WriteError) -> [String] {
    let manager = FileManager.default
    try attempt(path) { try manager.createDirectory(atPath: path, withIntermediateDirectories: true) }
    var staged: [(temporary: String, final: String, name: String)] = []
    defer {
      // What has been moved is no longer there; what has not is of no use to anybody.
      for file in staged where manager.fileExists(atPath: file.temporary) {
        unlink(file.temporary)
      }
    }
    for file in files {
      let final = (path as NSString).appendingPathComponent(file.name)
      let content = Data(file.content)
      if manager.contents(atPath: final) == content { continue }
      let temporary = final + ".\(ProcessInfo.processInfo.processIdentifier).partial"
      staged.append((temporary, final, file.name))
      try attempt(final) { try content.write(to: URL(fileURLWithPath: temporary)) }
    }
    for file in staged where rename(file.temporary, file.final) != 0 {
      throw WriteError(path: file.final, reason: String(cString: strerror(errno)))
    }
    return staged.map(\.name)
  }

  private func attempt(_ path: String, _ body: () throws -> Void) throws(WriteError) {
    do {
      try body()
    } catch {
      throw WriteError(path: path, reason: Self.reason(for: error))
    }
  }

  /// The system's own words where there are some: Foundation's wrap them.
  private static func reason(for error: any Error) -> String {
    let error = error as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(cause.code)))
    }
    return error.localizedDescription
  }
}
