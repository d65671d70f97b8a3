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

/// The table of outcomes, in which each transaction that writes leaves its token as its last change.
///
/// A transaction's number cannot tell how it has ended: after a crash or a failover, the server gives one to another transaction that
/// was in no log until then. The row is there if, and only if, the transaction is.
struct OutcomeTable: Sendable {
  static let name = "dflat_outcome"
  private let table: String

  /// Takes the id and the number. It divides by zero if the row has that number, or a later one: see `settle`. A part of each commit, so
  /// that it is made once.
  ///
  /// It is no UPDATE: that might scan the table, and so conflict with every other transaction.
  let leave: String

  init(schema: String) {
    table = "\(PostgresName.quoted(schema)).\(Self.name)"
    leave = """
      INSERT INTO \(table) AS o (id, n) VALUES ($1, $2) \
      ON CONFLICT (id) DO UPDATE SET n = excluded.n / (o.n < excluded.n)::int, at = excluded.at
      """
  }

  /// Has no index on `at`, so that a version of a row takes the room of an older one; for that, a page is filled by half.
  var create: String {
    """
    CREATE TABLE \(table) (id bigint PRIMARY KEY, n bigint NOT NULL, was bigint, at timestamptz NOT NULL DEFAULT now()) \
    WITH (fillfactor = 50)
    """
  }

  /// What a role needs to leave tokens, and to ask for them.
  var rights: String { "GRANT SELECT, INSERT, UPDATE, DELETE ON \(table) TO" }

  /// Takes the id, and gives the number that was left last. No transaction with the id can commit after this one has.
  var settle: String {
    """
    INSERT INTO \(table) AS o (id, n) VALUES ($1, \(Int64.max)) \
    ON CONFLICT (id) DO UPDATE SET was = CASE WHEN o.n = \(Int64.max) THEN o.was ELSE o.n END, n = \(Int64.max) \
    RETURNING was
    """
  }

  /// Takes the id of a row that is given up, or NULL. It removes the rows of other connections after a day, when nobody asks for them.
  var remove: String {
    """
    DELETE FROM \(table) WHERE id IN (
      SELECT id FROM \(table) WHERE id = $1 OR at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)
    """
  }
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
