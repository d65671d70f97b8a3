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
  /// Every file is first written in full in a hidden folder, and only when all are is each moved to its place. When
  /// that fails, those that were moved are taken back. A process that is killed leaves each file old or new, never half
  /// of one; the next run removes what else it left.
  /// - Returns: The names of the files that changed.
  @discardableResult
  func write(_ files: [GeneratedFile]) throws(WriteError) -> [String] {
    let manager = FileManager.default
    try attempt(path) { try manager.createDirectory(atPath: path, withIntermediateDirectories: true) }
    StagingFolder.sweep(path)
    let changed = files.filter { !FileSystem.holds($0.content, place(of: $0)) }
    if changed.isEmpty { return [] }
    let staging = try StagingFolder(in: path)
    defer { staging.remove() }
    for (index, file) in changed.enumerated() {
      try FileSystem.create(staging.new(index), with: file.content, for: place(of: file))
    }
    var moved: [Move] = []
    do throws(WriteError) {
      for (index, file) in changed.enumerated() {
        try moved.append(move(staging, index, to: place(of: file)))
      }
    } catch {
      for move in moved.reversed() { takeBack(move) }
      throw error
    }
    return changed.map(\.name)
  }

  private func place(of file: GeneratedFile) -> String { (path as NSString).appendingPathComponent(file.name) }

  /// A file that has been moved to its place, and how that is undone.
  private struct Move {
    let final: String
    /// Whether there was a file before.
    let hadFile: Bool
    /// Its content; nil when there was none, or the file system has no second names for a file.
    let old: String?
    /// The folders that were made for it, the innermost first.
    let folders: [String]
  }

  private func move(_ staging: StagingFolder, _ index: Int, to final: String) throws(WriteError) -> Move {
    var folders: [String] = []
    var folder = (final as NSString).deletingLastPathComponent
    while !folder.isEmpty, access(folder, F_OK) != 0 {
      folders.append(folder)
      folder = (folder as NSString).deletingLastPathComponent
    }
    for folder in folders.reversed() where mkdir(folder, 0o777) != 0 && errno != EEXIST {
      throw WriteError(path: final, reason: String(cString: strerror(errno)))
    }
    let hadFile = access(final, F_OK) == 0
    // A second name for the old content: where the file system has none, it cannot be taken back.
    let hasOld = link(final, staging.old(index)) == 0
    guard rename(staging.new(index), final) == 0 else {
      throw WriteError(path: final, reason: String(cString: strerror(errno)))
    }
    return Move(final: final, hadFile: hadFile, old: hasOld ? staging.old(index) : nil, folders: folders)
  }

  /// As good as it can be: the error that led here is the one that is told.
  private func takeBack(_ move: Move) {
    if let old = move.old {
      rename(old, move.final)
    } else if !move.hadFile {
      unlink(move.final)
      for folder in move.folders { rmdir(folder) }
    }
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
