import PostgresLayout

/// What a connection's attempt to commit leaves in the database, so that it can be found out later whether it has.
struct CommitToken {
  /// The row of the connection in the table of outcomes. It is random, so that no other connection, of whatever process, has it.
  let id = Int64.random(in: .min ... .max)
  /// The number of the attempt, which rises with each.
  private(set) var number: Int64 = 0

  /// The server cannot prune the versions of a row while a snapshot is held, such as that of a backup: so a row is given up after as
  /// many, and another one is begun.
  private static let limit = 250

  var isFirst: Bool { number == 1 }
  var isUsedUp: Bool { number >= Self.limit }

  /// Changes the token to that of the next attempt.
  mutating func advance() { number += 1 }
}

extension PostgresConnection {
  /// Sends the token of the next attempt to commit.
  func sendToken(for purpose: String) throws -> CommitToken {
    token.advance()
    var parameters = PostgresParameters()
    parameters.append(token.id)
    parameters.append(token.number)
    try send(outcomes.leave, parameters, for: purpose)
    return token
  }

  /// Removes rows of which nobody asks for the outcome any more: after the connection's first commit, and when its token is used up.
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
