import PostgresLayout

/// A mark that an attempt to commit leaves in the database, so that its outcome can be found out later.
struct CommitToken {
  /// The key of the connection's row in the table of outcomes. It is random, so that no other connection of any process
  /// shares it.
  let id = Int64.random(in: .min ... .max)
  /// The number of the attempt to commit, which rises with each.
  private(set) var number: Int64 = 0

  /// The number of attempts after which the connection begins another row. The server cannot prune old versions of a
  /// row while a snapshot is open, such as a backup's.
  private static let limit = 250

  var isFirst: Bool { number == 1 }
  var isUsedUp: Bool { number >= Self.limit }

  /// Advances the token to the next attempt.
  mutating func advance() { number += 1 }
}

extension PostgresConnection {
  /// Advances the connection's token and sends it, as part of the transaction.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Returns: the token.
  func sendToken(for purpose: String) throws -> CommitToken {
    token.advance()
    var parameters = PostgresParameters()
    parameters.append(token.id)
    parameters.append(token.number)
    try send(outcomes.leave, parameters, for: purpose)
    return token
  }

  /// Removes rows of the table of outcomes that nobody needs any more: after the connection's first commit, and when
  /// its token is used up.
  func removeOldTokens() {
    guard token.isFirst || token.isUsedUp else { return }
    var parameters = PostgresParameters()
    if token.isUsedUp {
      parameters.append(token.id)
      token = CommitToken()
    } else {
      parameters.appendNull(.int8)
    }
    let purpose = "Removing old outcomes"
    do {
      try begin(.preparing, for: purpose)
      try send("SET LOCAL synchronous_commit = off", for: purpose)
      try send(outcomes.remove, parameters, for: purpose)
      try commit(for: purpose)
    } catch {
      // Another connection removes them later.
      rollBack()
    }
  }
}
