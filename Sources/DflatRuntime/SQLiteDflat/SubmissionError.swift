/// Why a request could not be carried out, though SQLite had no objection.
enum SubmissionError: Error, CustomStringConvertible {
  case spent(type: String)
  case gone(type: String, rowid: Int64)
  case undone
  case notRepeatable

  var description: String {
    switch self {
    case .spent(let type): "A change request for \(type) was submitted a second time."
    case .gone(let type, let rowid): "The \(type) in row \(rowid) is no longer stored, and cannot be updated."
    case .undone: "What a transaction had written, or had read of an earlier one, has been undone."
    case .notRepeatable: "Another process wrote to the database in the middle of a transaction."
    }
  }
}
