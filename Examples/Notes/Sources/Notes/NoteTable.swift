/// Notes as lines of text.
struct NoteTable: CustomStringConvertible {
  private let notes: [Note]

  init(_ notes: some Sequence<Note>) {
    self.notes = Array(notes)
  }

  var description: String {
    notes.isEmpty ? "No notes.\n" : notes.map { line($0) + "\n" }.joined()
  }

  private func line(_ note: Note) -> String {
    var line = "\(note.number) [\(note.isDone ? "x" : " ")] \(note.title ?? "")"
    if note.priority != .normal { line += " (\(note.priority))" }
    if let due = note.due { line += ", until \(due)" }
    if let tag = note.tag { line += " #\(tag)" }
    if let text = note.text { line += "\n    " + text }
    return line
  }
}
