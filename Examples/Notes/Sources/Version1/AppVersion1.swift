import Dflat
import SQLiteDflat

/// What version 1 of the app does with its file.
public struct AppVersion1: Sendable {
  private let workspace: SQLiteWorkspace

  /// Opens the file of the app, and makes it if there is none.
  public init(file: String) {
    workspace = SQLiteWorkspace(filePath: file, fileProtectionLevel: .noProtection)
  }

  /// Whether the note was stored.
  public func add(_ number: Int64, _ title: String) async -> Bool {
    await workspace.performChanges([Note.self]) { transaction in
      transaction.try(submit: NoteChangeRequest.creationRequest(Note(number: number, title: title, created: 1)))
    }
  }

  /// The titles of all notes, by number.
  public func titles() -> [String] {
    workspace.fetch(for: Note.self).all(orderBy: [Note.number.ascending]).map { $0.title ?? "" }
  }

  /// Waits until all is on disk, and closes the file.
  public func close() async { await workspace.shutdown() }
}
