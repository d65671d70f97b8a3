/// The table of outcomes, in which each transaction that writes leaves its token as its last change.
///
/// The outcome cannot be found out by a transaction's number: after a crash or a failover, the server gives the number
/// of a transaction that had reached no log to another one. The token is there if, and only if, the transaction is
/// committed.
package struct OutcomeTable: Sendable {
  package static let name = "dflat_outcome"
  private let table: String

  /// The statement that takes the id and the number, and leaves the token. It divides by zero if the row already has
  /// that number or a later one: see `settle`. It is a stored property, since each commit uses it.
  ///
  /// It is an INSERT, since an UPDATE might scan the table, and so conflict with every other transaction.
  package let leave: String

  package init(schema: String) {
    table = "\(PostgresName.quoted(schema)).\(Self.name)"
    leave = """
      INSERT INTO \(table) AS o (id, n) VALUES ($1, $2) \
      ON CONFLICT (id) DO UPDATE SET n = excluded.n / (o.n < excluded.n)::int, at = excluded.at
      """
  }

  /// Returns the statement that makes the table. It has no index on `at`, and fills pages by half, so that a new
  /// version of a row can take the room of an older one.
  ///
  /// - Parameter ifMissing: whether an existing table is no error.
  package func create(ifMissing: Bool = false) -> String {
    """
    CREATE TABLE \(ifMissing ? "IF NOT EXISTS " : "")\(table) (id bigint PRIMARY KEY, n bigint NOT NULL, was bigint, at timestamptz NOT NULL DEFAULT now()) \
    WITH (fillfactor = 50)
    """
  }

  /// The statement, up to the role's name, that grants the rights to leave and read tokens.
  package var rights: String { "GRANT SELECT, INSERT, UPDATE, DELETE ON \(table) TO" }

  /// The statement that takes the id, and returns the number that was left last. No transaction with the id can commit
  /// after it, until `remove` takes the row away a day later.
  package var settle: String {
    """
    INSERT INTO \(table) AS o (id, n) VALUES ($1, \(Int64.max)) \
    ON CONFLICT (id) DO UPDATE SET was = CASE WHEN o.n = \(Int64.max) THEN o.was ELSE o.n END, n = \(Int64.max), \
    at = excluded.at RETURNING was
    """
  }

  /// The statement that takes the id of a row that is no longer used, or NULL, and removes the row. It also removes
  /// rows of other connections that are older than a day, whose outcomes nobody asks for any more.
  package var remove: String {
    """
    DELETE FROM \(table) WHERE id IN (
      SELECT id FROM \(table) WHERE id = $1 OR at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)
    """
  }
}
