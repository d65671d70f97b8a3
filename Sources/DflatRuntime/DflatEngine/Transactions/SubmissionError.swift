import Dflat

/// Why a request or a transaction failed although the database raised no error.
@usableFromInline
package enum SubmissionError: Error, CustomStringConvertible {
  /// A request was submitted a second time.
  case spent(type: String)
  /// The object of an update is no longer stored.
  case gone(type: String, rowid: Int64)
  /// The object of an update has been changed since the request was made.
  case superseded(type: String, rowid: Int64)
  /// Another process has changed or deleted a row that the transaction has read and wanted to change.
  case replaced(type: String, rowid: Int64)
  /// Another process has stored an object with a key that the transaction wanted to use.
  case taken(type: String)
  /// A key of the dictionary was set outside of transactions after the transaction had read it.
  case keyChanged(String)
  /// A key of a namespace was set outside of transactions after the transaction had listed its keys.
  case keysChanged(namespace: String)
  /// A field of the primary key is NaN.
  case notANumber(type: String, fields: [String])
  /// SQLite has rolled back what the transaction had written, or an earlier transaction that it builds on has failed.
  case undone

  @usableFromInline
  package var description: String {
    switch self {
    case .spent(let type): "A change request for \(type) was submitted a second time."
    case .gone(let type, let rowid): "The \(type) in row \(rowid) is no longer stored, and cannot be updated."
    case .superseded(let type, let rowid):
      """
      The \(type) in row \(rowid) has been changed since its change request was made: make the request after that change, or \
      make both changes by one request.
      """
    case .replaced(let type, let rowid):
      """
      Another process, or another workspace, has changed row \(rowid) of \(type) while a transaction changed it, too: the \
      transaction failed, and may be tried again.
      """
    case .taken(let type):
      """
      Another process, or another workspace, has stored an object of \(type) with the same key while a transaction stored one, \
      too: the transaction failed, and may be tried again.
      """
    case .keyChanged(let key):
      """
      The key "\(key)" was set in workspace.dictionary while a transaction that had read it went on: the transaction failed, and \
      may be tried again.
      """
    case .keysChanged(let namespace):
      """
      A key of the namespace "\(namespace)" was set in workspace.dictionary while a transaction that had listed the keys went on: \
      the transaction failed, and may be tried again.
      """
    case .notANumber(let type, let fields):
      """
      The primary key of \(type) is NaN (\(fields.joined(separator: ", "))), which equals no number, not even itself: the object \
      could not be found by its key. It was not stored.
      """
    case .undone: "What a transaction had written, or an earlier transaction that it builds on, has been rolled back."
    }
  }
}

extension SubmissionError: TransientError {
  package var isTransient: Bool {
    switch self {
    case .replaced, .taken, .keyChanged, .keysChanged: true
    case .spent, .gone, .superseded, .notANumber, .undone: false
    }
  }
}
