import Emitters
import Foundation

/// Files that are written in full, and wait in a staging folder to be moved to their places.
struct PreparedFiles {
  private let output: String
  private let staging: StagingFolder
  private let journal: MoveJournal

  /// Writes `files`, and keeps a second name for each file that they are to replace.
  init(_ files: [GeneratedFile], in output: String) throws(OutputFolder.WriteError) {
    self.output = output
    let staging = try StagingFolder(in: output)
    do throws(OutputFolder.WriteError) {
      var moves: [MoveJournal.Move] = []
      for (index, file) in files.enumerated() {
        let final = (output as NSString).appendingPathComponent(file.name)
        try FileSystem.create(staging.new(index), with: file.content, for: final)
        moves.append(MoveJournal.Move(name: file.name, replaces: try FileSystem.keep(final, as: staging.old(index))))
      }
      journal = MoveJournal(moves: moves)
    } catch {
      staging.remove()
      throw error
    }
    self.staging = staging
  }

  /// Moves the files to their places: all of them, or none when an error is thrown.
  ///
  /// The journal is what makes it all or nothing for a run that is killed, too: from when it is there until the last file
  /// is in its place, the next run into this folder finishes what this one began, before it does anything else.
  func commit() throws(OutputFolder.WriteError) {
    do throws(OutputFolder.WriteError) {
      try journal.write(.forward, staging)
      try journal.moveForward(staging, to: output)
    } catch {
      takeBack()
      throw error
    }
  }

  /// Puts back what was there before. As good as it can be: the error that led here is the one that is told.
  func takeBack() {
    // For a run that is killed now, which the next one would otherwise finish forward. It may fail where nothing is moved
    // yet, and so there is no journal; or else this run goes back all the same.
    try? journal.write(.back, staging)
    journal.moveBack(staging, to: output)
  }

  /// Ends the work, done or taken back.
  func finish() { staging.remove() }
}
