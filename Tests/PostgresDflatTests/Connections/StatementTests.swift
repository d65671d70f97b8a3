import TestSupport
import Testing

@testable import PostgresDflat

@Suite("A connection keeps statements that it uses again")
struct StatementTests {
  @Test("The server gets each parameter as it was appended, whatever comes before and after it")
  func parameters() throws {
    let database = try TestDatabase()
    let connection = try PostgresConnection(
      PostgresOptions(connection: database.server.connection(to: database.name)))
    let long = String(repeating: "é", count: 70_000)
    var array = PostgresArray(of: .int8)
    for number in [Int64.min, 0, 7] { array.append(number) }
    var texts = PostgresArray(of: .bytea)
    texts.append(text: "")
    texts.append(element: nil)
    texts.append(text: long)
    var parameters = PostgresParameters()
    parameters.append(Int64.max)
    parameters.append(text: "")
    parameters.append(array)
    parameters.appendNull(.int8)
    parameters.append(-0.5)
    parameters.append(texts)
    parameters.append(numeric: "18446744073709551615")
    parameters.appendNull(.bytea)
    parameters.append(numeric: "-3")
    parameters.append(text: long)
    Array("a\0b".utf8).withUnsafeBytes { parameters.append(bytes: $0) }
    // Prepared, and as a connection pooler has it.
    for isPrepared in [true, false] {
      var columns: [String] = []
      try connection.query(
        """
        SELECT $1::bigint::text, '<' || $2 || '>', $3::bigint[]::text, ($4::bigint IS NULL)::text, $5::float8::text,
          array_length($6::bytea[], 1) || ' ' || length(($6::bytea[])[1]) || ' ' || (($6::bytea[])[2] IS NULL)
            || ' ' || (($6::bytea[])[3] = convert_to($10, 'UTF8')),
          $7::numeric::text, ($8::bytea IS NULL)::text, $9::numeric::text, length($10)::text, encode($11, 'hex')
        """, parameters, isPrepared: isPrepared, for: "Testing"
      ) { row in
        columns = (0..<11).map { row.text($0) }
        return true
      }
      #expect(
        columns == [
          "9223372036854775807", "<>", "{-9223372036854775808,0,7}", "true", "-0.5", "3 0 true true",
          "18446744073709551615", "true", "-3", "70000", "610062",
        ])
    }
  }

  @Test("A prepared statement has one name, in whatever order it comes again")
  func preparedStatements() {
    var random = SeededGenerator(seed: 21)
    var statements = PreparedStatements()
    var names: [String: String] = [:]
    for _ in 0..<3_000 {
      let sql = "SELECT \(random.next(12))"
      switch random.next(100) {
      case 0:
        statements.removeAll()
        names = [:]
      case 1, 2:
        statements.remove(sql)
        names[sql] = nil
      default:
        let name = statements.name(of: sql)
        #expect(name == names[sql])
        if name == nil {
          let added = statements.add(sql)
          #expect(!names.values.contains(added))
          names[sql] = added
        }
      }
    }
  }
}
