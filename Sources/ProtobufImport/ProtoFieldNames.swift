/// The names that the fields of a message, and the unions of its oneofs, have in a table.
struct ProtoFieldNames {
  /// A part of a field for which generated code needs names of its own, so that schemas refuse them for other fields.
  enum Part: String {
    case type = "the type of the union"
    case length = "the length of the list"
    case bytes = "the bytes of the string"

    /// The ends of the names, which begin with the name of the field.
    var suffixes: [String] {
      switch self {
      case .type: ["_type", "Type"]
      case .length: ["_length", "Length"]
      case .bytes: ["_byte_vector", "ByteVector"]
      }
    }
  }

  /// The names in the table that differ from those in the file, by these.
  private var names: [String: String] = [:]
  /// The reasons why names differ, by the names in the file.
  private(set) var reasons: [String: String] = [:]
  /// The names of tables, which no field may have.
  private let tables: Set<String>
  /// The names of the fields.
  private var taken: Set<String>
  /// The reasons why no field may have a name that a part of another needs, by the name.
  private var hidden: [String: String] = [:]

  /// Chooses the names.
  /// - Parameters:
  ///   - tables: The names of tables, which no field may have.
  ///   - part: Returns the part of a field that needs names; nil if there is none.
  init(_ message: ProtoFile.Message, tables: Set<String>, part: (ProtoFile.Field) -> Part?) {
    self.tables = tables
    let fields = message.fields.filter { $0.oneof == nil }
    taken = Set(fields.map(\.name))
    var refused: [ProtoFile.Field] = []
    // In the order of their lengths: a name that a part needs is longer than the name of its field, so it is taken
    // before a field that has it is reached.
    for field in fields.sorted(by: { $0.name.utf8.count < $1.name.utf8.count }) {
      if tables.contains(field.name) || hidden[field.name] != nil {
        refused.append(field)
      } else {
        take(field.name, part(field))
      }
    }
    for field in refused { add(field.name, part(field), ending: "_value") }
    for oneof in message.oneofs { add(oneof.name, .type, ending: "_oneof") }
  }

  /// Chooses a name that is free, and makes it longer by `ending` until it is.
  private mutating func add(_ name: String, _ part: Part?, ending: String) {
    var candidate = name
    while let reason = reason(against: candidate, part) {
      reasons[name] = reasons[name] ?? reason
      candidate += ending
    }
    take(candidate, part)
    names[name] = candidate
  }

  private mutating func take(_ name: String, _ part: Part?) {
    taken.insert(name)
    guard let part else { return }
    for suffix in part.suffixes { hidden[name + suffix] = "\(part.rawValue) `\(name)` needs its name" }
  }

  /// Returns why a field with such a part cannot have a name; nil if it can.
  private func reason(against name: String, _ part: Part?) -> String? {
    if tables.contains(name) { return "a table has its name" }
    if let reason = hidden[name] { return reason }
    if taken.contains(name) { return "a field has its name" }
    let needed = (part?.suffixes ?? []).map { name + $0 }
    return needed.first { taken.contains($0) }.map { "it would need the name of the field `\($0)` as well" }
  }

  subscript(name: String) -> String { names[name] ?? name }
}
