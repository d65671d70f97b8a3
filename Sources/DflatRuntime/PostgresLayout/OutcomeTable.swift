/// The table of outcomes, in which each transaction that writes leaves its token as its last change.
///
/// A transaction's number cannot tell how it has ended: after a crash or a failover, the server gives one to another transaction that
/// was in no log until then. The row is there if, and only if, the transaction is.
package struct OutcomeTable: Sendable {
  package static let name = "dflat_outcome"
  private let table: String

  /// Takes the id and the number. It divides by zero if the row has that number, or a later one: see `settle`. A part of each commit, so
  /// that it is made once.
  ///
  /// It is no UPDATE: that might scan the table, and so conflict with every other transaction.
  package let leave: String

  package init(schema: String) {
    table = "\(PostgresName.quoted(schema)).\(Self.name)"
    leave = """
      INSERT INTO \(table) AS o (id, n) VALUES ($1, $2) \
      ON CONFLICT (id) DO UPDATE SET n = excluded.n / (o.n < excluded.n)::int, at = excluded.at
      """
  }

  /// Has no index on `at`, so that a version of a row takes the room of an older one; for that, a page is filled by half.
  ///
  /// - Parameter ifMissing: whether a table that is there already is no error.
  package func create(ifMissing: Bool = false) -> String {
    """
    CREATE TABLE \(ifMissing ? "IF NOT EXISTS " : "")\(table) (id bigint PRIMARY KEY, n bigint NOT NULL, was bigint, at timestamptz NOT NULL DEFAULT now()) \
    WITH (fillfactor = 50)
    """
  }

  /// What a role needs to leave tokens, and to ask for them.
  package var rights: String { "GRANT SELECT, INSERT, UPDATE, DELETE ON \(table) TO" }

  /// Takes the id, and gives the number that was left last. No transaction with the id can commit after this one has.
  package var settle: String {
    """
    INSERT INTO \(table) AS o (id, n) VALUES ($1, \(Int64.max)) \
    ON CONFLICT (id) DO UPDATE SET was = CASE WHEN o.n = \(Int64.max) THEN o.was ELSE o.n END, n = \(Int64.max) \
    RETURNING was
    """
  }

  /// Takes the id of a row that is given up, or NULL. It removes the rows of other connections after a day, when nobody asks for them.
  package var remove: String {
    """
    DELETE FROM \(table) WHERE id IN (
      SELECT id FROM \(table) WHERE id = $1 OR at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)
    """
  }
}
