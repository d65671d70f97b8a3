import Emitters
import Foundation

/// Which files are about to be moved out of a staging folder, for whoever finishes it when this process cannot.
struct MoveJournal: Codable {
  /// A file to be moved.
  struct Move: Codable {
    /// Its name within the output folder.
    let name: String
    /// Whether a file of that name was there, which is kept in the staging folder.
    let replaces: Bool
  }

  /// Which way the files go. The journal's name says it, since a file gets another name in one step.
  enum Direction: String, CaseIterable {
    case forward = "journal"
    case back = "journal-back"
  }

  let moves: [Move]

  /// Says that the files are to be moved `direction` from now on.
  func write(_ direction: Direction, _ staging: StagingFolder) throws(OutputFolder.WriteError) {
    let place = staging.file(direction.rawValue)
    if direction == .back {
      guard rename(staging.file(Direction.forward.rawValue), place) == 0 else { throw Self.error(place) }
      return
    }
    let draft = staging.file("journal-draft")
    let text: Data
    do {
      text = try JSONEncoder().encode(self)
    } catch {
      throw OutputFolder.WriteError(path: place, reason: error.localizedDescription)
    }
    try FileSystem.create(draft, with: Array(text), for: place)
    guard rename(draft, place) == 0 else { throw Self.error(place) }
  }

  /// Moves each file to its place that is not there yet.
  func moveForward(_ staging: StagingFolder, to output: String) throws(OutputFolder.WriteError) {
    for (index, move) in moves.enumerated() {
      let final = (output as NSString).appendingPathComponent(move.name)
      try Self.makeFolder((final as NSString).deletingLastPathComponent, for: final)
      guard rename(staging.new(index), final) != 0 else { continue }
      let code = errno
      // Moved already by the run that did not come to its end.
      if code == ENOENT, access(staging.new(index), F_OK) != 0 { continue }
      throw OutputFolder.WriteError(path: final, reason: String(cString: strerror(code)))
    }
  }

  /// Puts back what was there before, where it was.
  func moveBack(_ staging: StagingFolder, to output: String) {
    for (index, move) in moves.enumerated().reversed() {
      let final = (output as NSString).appendingPathComponent(move.name)
      // What is not moved yet is in nobody's way.
      if access(staging.new(index), F_OK) == 0 { continue }
      if move.replaces {
        rename(staging.old(index), final)
      } else {
        unlink(final)
        Self.removeFolders(of: move.name, in: output)
      }
    }
  }

  /// The folders that were made for a file, unless something else is in them by now.
  private static func removeFolders(of name: String, in output: String) {
    var folder = (name as NSString).deletingLastPathComponent
    while !folder.isEmpty, rmdir((output as NSString).appendingPathComponent(folder)) == 0 {
      folder = (folder as NSString).deletingLastPathComponent
    }
  }

  private static func makeFolder(_ folder: String, for final: String) throws(OutputFolder.WriteError) {
    if folder.isEmpty || access(folder, F_OK) == 0 { return }
    try makeFolder((folder as NSString).deletingLastPathComponent, for: final)
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw error(final) }
  }

  private static func error(_ path: String) -> OutputFolder.WriteError {
    OutputFolder.WriteError(path: path, reason: String(cString: strerror(errno)))
  }
}

extension MoveJournal {
  /// Finishes what a run that was killed has begun in the staging folder: forward, or back where it was going back.
  static func finish(_ staging: StagingFolder, in output: String) {
    for direction in Direction.allCases {
      // No journal is the usual case: nothing was moved yet, or all of it. One that is there is whole, as it got its name
      // when it was finished; what cannot be read all the same leaves each file old or new.
      guard let text = try? FileSystem().read(staging.file(direction.rawValue)),
        let journal = try? JSONDecoder().decode(MoveJournal.self, from: Data(text)),
        // Whatever stands in it, nothing outside of the folder is touched.
        journal.moves.allSatisfy({ GeneratedFile.isInside($0.name) })
      else { continue }
      do {
        if direction == .forward {
          try journal.moveForward(staging, to: output)
        } else {
          journal.moveBack(staging, to: output)
        }
      } catch {
        // It is as if it had not been killed.
        try? journal.write(.back, staging)
        journal.moveBack(staging, to: output)
      }
    }
  }
}
