/// What a table calls the fields of a message, and the unions of its oneofs.
struct ProtoFieldNames {
  private(set) var names: [String: String] = [:]
  private var taken: Set<String>

  /// - Parameter tables: the names of tables, which no field may have.
  init(_ message: ProtoFile.Message, tables: Set<String>) {
    let fields = message.fields.filter { $0.oneof == nil }.map(\.name)
    taken = Set(fields)
    for field in fields where tables.contains(field) {
      add(field, ending: "_value") { name, taken in !tables.contains(name) && taken.insert(name).inserted }
    }
    for oneof in message.oneofs {
      // A union field takes the name of its hidden type field as well.
      add(oneof.name, ending: "_oneof") { name, taken in
        guard !tables.contains(name), !taken.contains(name), !taken.contains(name + "_type") else { return false }
        taken.formUnion([name, name + "_type"])
        return true
      }
    }
  }

  private mutating func add(_ name: String, ending: String, _ take: (String, inout Set<String>) -> Bool) {
    var candidate = name
    while !take(candidate, &taken) { candidate += ending }
    names[name] = candidate
  }

  subscript(name: String) -> String { names[name] ?? name }
}
