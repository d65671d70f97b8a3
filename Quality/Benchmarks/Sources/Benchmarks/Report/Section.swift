/// What the report shows together, in its order.
enum Section: String, Codable, CaseIterable {
  case crud, threads, subscriptions, dictionary, matching, memory, postgres, wire, compiler, convert, check, lsp,
    generated, package, badInput

  var title: String {
    switch self {
    case .crud: "Inserting, fetching, updating, deleting"
    case .threads: "Several threads"
    case .subscriptions: "Subscriptions"
    case .dictionary: "The dictionary"
    case .matching: "Matching rows with standing queries"
    case .memory: "Memory"
    case .postgres: "PostgreSQL"
    case .wire: "The wire format"
    case .compiler: "dflatc compile"
    case .convert: "dflatc convert"
    case .check: "dflatc check"
    case .lsp: "dflatc lsp"
    case .generated: "Generated Swift"
    case .package: "A fresh package with the plug-in"
    case .badInput: "Input that is no schema"
    }
  }

  /// What is compared with what.
  var explanation: String {
    switch self {
    case .crud:
      """
      The first of the four programs that Dflat 0.6 was measured by. Beside each job is a C program on the SQLite API: the \
      same tables, prepared statements, write-ahead log and `synchronous=NORMAL`, with every row decoded by hand. Each job starts \
      from a file that was closed and opened again. "memory kept" has the process keep the memory that it frees, on both sides; \
      "memory released" is what apps have.
      """
    case .threads:
      "The second program of Dflat 0.6: four threads that write 10,000 objects each, of a type each, into one file."
    case .subscriptions:
      """
      The third program of Dflat 0.6: 1,000 subscriptions while 10,000 objects are updated. The time is that which the \
      subscribers add to the transaction, until all of them are told. Beside it is the C program that asks each query again.
      """
    case .dictionary: "The fourth program of Dflat 0.6: 40,000 keys and values."
    case .matching: "How long it takes to find the standing queries that match a row, by how many there are."
    case .memory: "How much memory the process has more after a million objects were written, and read page by page."
    case .postgres:
      """
      Beside each job is a C program on libpq and the same socket, with the same columns, prepared statements and pipelining. \
      The server does not sync its files, so that the figures are not those of the disk.
      """
    case .wire: "A document of twenty fields, beside the same work through FlatBuffers' C++ library, at `-O2`."
    case .compiler:
      """
      Four emitters (accessors, data model, change requests, queries), beside flatc, which writes accessors alone. Processor \
      time is that of all threads.
      """
    case .convert: "JSON of 50 MB to a FlatBuffer, beside `flatc -b`, which writes the same bytes."
    case .check: "Two versions of a schema, every tenth table with a field more, beside `flatc --conform`."
    case .lsp: "From an edit in an open document until its diagnostics are there, and the memory of the server."
    case .generated: "Lines of the four emitters' Swift for 1,000 fields, and what the Swift compiler takes for them."
    case .package:
      "The first release build of a package with a schema and the plug-in, which builds dflatc, or takes it from the bundle."
    case .badInput: "Time and memory of `dflatc compile` for text that is no schema, in proportion to its length."
    }
  }
}
