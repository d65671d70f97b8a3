import Dflat
import SQLiteDflat

/// What version 1 of the app does with its file.
public struct AppVersion1: Sendable {
  private let workspace: SQLiteWorkspace

  public init(file: String) {
    workspace = SQLiteWorkspace(filePath: file, fileProtectionLevel: .noProtection)
  }

  /// Whether the note was stored.
  public func add(_ number: Int64, _ title: String) async -> Bool {
    await workspace.performChanges([Note.self]) { transaction in
      transaction.try(submit: NoteChangeRequest.creationRequest(Note(number: number, title: title, created: 1)))
    }
  }

  public func titles() -> [String] {
    workspace.fetch(for: Note.self).all(orderBy: [Note.number.ascending]).map { $0.title ?? "" }
  }

  public func close() async { await workspace.shutdown() }
}
