import Dflat
import SQLiteDflat

/// What version 2 of the app does with its file: notes have tags.
public struct AppVersion2: Sendable {
  private let workspace: SQLiteWorkspace

  /// Opens the file of the app, and makes it if there is none.
  public init(file: String) {
    workspace = SQLiteWorkspace(filePath: file, fileProtectionLevel: .noProtection)
  }

  /// Whether the note was stored.
  public func add(_ number: Int64, _ title: String, tag: String) async -> Bool {
    await workspace.performChanges([Note.self]) { transaction in
      let note = Note(number: number, title: title, created: 2, tag: tag)
      transaction.try(submit: NoteChangeRequest.creationRequest(note))
    }
  }

  /// The titles of the notes with a tag; of those without one if it is nil.
  public func titles(tag: String?) -> [String] {
    let notes = workspace.fetch(for: Note.self)
    let order = [Note.number.ascending]
    let found = tag.map { notes.where(Note.tag == $0, orderBy: order) } ?? notes.where(Note.tag.isNull, orderBy: order)
    return found.map { $0.title ?? "" }
  }

  /// Waits until all is on disk, and closes the file.
  public func close() async { await workspace.shutdown() }
}
