import ArgumentParser
import Dflat
import Foundation
import SQLiteDflat

/// The file that the notes are in.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The file of the notes. It is made if it is not there.", valueName: "path"))
  var file = "notes.sqlite3"

  func validate() throws {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw ValidationError("There is no folder \(folder). Make it, or name a file in another one with --file.")
    }
  }

  /// Calls `body` with the notes, and closes the file behind it.
  func use(_ body: (NoteStore) async throws -> Void) async throws {
    let workspace = SQLiteWorkspace(filePath: file, fileProtectionLevel: .noProtection)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(NoteStore(workspace: workspace))) } catch { outcome = .failure(error) }
    await workspace.shutdown()
    try outcome.get()
  }
}

/// The notes, and what is done with them.
struct NoteStore: Sendable {
  let workspace: SQLiteWorkspace

  var settings: Settings { Settings(workspace) }

  /// Stores a note under the next number.
  ///
  /// - Returns: its number.
  func add(_ note: @escaping @Sendable (_ number: Int64, _ created: Double) -> Note) async throws -> Int64 {
    try await perform { [workspace] transaction in
      let last = workspace.fetch(for: Note.self).all(limit: .limit(1), orderBy: [Note.number.descending]).first
      let number = (last?.number ?? 0) + 1
      try transaction.submit(NoteChangeRequest.creationRequest(note(number, Date().timeIntervalSince1970)))
      return number
    }
  }

  func change(_ number: Int64, _ body: @escaping @Sendable (NoteChangeRequest) -> Void) async throws {
    try await perform { [workspace] transaction in
      let note = workspace.fetch(for: Note.self).where(Note.number == number).first
      guard let note, let request = NoteChangeRequest.changeRequest(note) else { throw NoteError.missing(number) }
      body(request)
      try transaction.submit(request)
    }
  }

  func remove(_ number: Int64) async throws {
    try await perform { [workspace] transaction in
      let note = workspace.fetch(for: Note.self).where(Note.number == number).first
      guard let note, let request = NoteChangeRequest.deletionRequest(note) else { throw NoteError.missing(number) }
      try transaction.submit(request)
    }
  }

  /// Runs a transaction, and tries it again if another process was faster.
  private func perform<Value: Sendable>(
    _ changes: @escaping @Sendable (any TransactionContext) throws -> Value
  ) async throws -> Value {
    var attempts = 0
    while true {
      do {
        return try await workspace.performChanges([Note.self], changesHandler: changes)
      } catch let error as NoteError {
        throw error
      } catch {
        attempts += 1
        if attempts == 3 { throw error }
      }
    }
  }
}

/// Why a command cannot be done.
enum NoteError: Error, CustomStringConvertible {
  case missing(Int64)

  var description: String {
    switch self {
    case .missing(let number): "There is no note \(number): `Notes list` prints the numbers."
    }
  }
}
