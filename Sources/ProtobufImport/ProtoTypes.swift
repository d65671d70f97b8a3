/// The names in schemas of the types of a file of Protocol Buffers, and of those that it imports.
struct ProtoTypes {
  /// The values of an enum of Protocol Buffers, translated for a schema.
  struct EnumValues {
    /// The values of the schema's enum: by number, each number once.
    var values: [(value: ProtoFile.Enumeration.Value, name: String)] = []
    /// The name in the schema of each value. A second name of a number is replaced by the first.
    var names: [String: String] = [:]
    /// The value of a field without a default, if its number is not 0.
    var first: String?

    init(_ item: ProtoFile.Enumeration) {
      let sorted = item.values.enumerated().sorted {
        ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
      }.map(\.element)
      var taken = Set(item.values.map(\.name))
      for value in sorted {
        if let last = values.last, last.value.number == value.number {
          names[value.name] = last.name
          continue
        }
        var name = value.name
        // As a default, it would make a field optional.
        if name == "null" { while !taken.insert(name).inserted { name += "_" } }
        values.append((value, name))
        names[value.name] = name
      }
      // A field without a default has the value for 0, or else the first one.
      if !item.values.contains(where: { $0.number == 0 }) { first = item.values.first.flatMap { names[$0.name] } }
    }
  }

  /// A type of a schema.
  struct Named {
    /// The name, with the namespace.
    let name: String
    /// The values of an enum; nil for a table.
    let values: EnumValues?
  }

  /// By their names in Protocol Buffers, with the package: `shop.Outer.Inner`.
  private(set) var types: [String: Named] = [:]
  /// The names of all definitions in the schemas, with their namespaces.
  private var taken: Set<String> = []
  /// The names of all tables, without their namespaces. No field may have one of them.
  private(set) var tableNames: Set<String> = []

  /// The packages of imported files, and the names of the fields in each. No table may have the name of a field.
  private var fieldNames: [String: Set<String>] = [:]

  /// The names of types that schemas have without a definition, and those of the fields of helper tables.
  private static let reserved: Set<String> = [
    "key", "value",
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "int8", "uint8",
    "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "string",
  ]

  /// Adds the types of an imported file, and of those that it imports.
  mutating func add(_ imported: ProtoTypes) {
    types.merge(imported.types) { first, _ in first }
    fieldNames.merge(imported.fieldNames) { $0.union($1) }
    taken.formUnion(imported.taken)
    tableNames.formUnion(imported.tableNames)
  }

  /// Adds the types of a file. A nested type stands beside the one that it is in, and has both names.
  mutating func add(_ file: ProtoFile) {
    var found: [(path: [String], values: EnumValues?)] = []
    func add(_ message: ProtoFile.Message, _ outer: [String]) {
      let path = outer + [message.name]
      found.append((path, nil))
      for item in message.enums { found.append((path + [item.name], EnumValues(item))) }
      for inner in message.messages { add(inner, path) }
    }
    for message in file.messages { add(message, []) }
    for item in file.enums { found.append(([item.name], EnumValues(item))) }
    // Types that are not nested keep their names.
    for (path, values) in found.filter({ $0.path.count == 1 }) + found.filter({ $0.path.count > 1 }) {
      let name = define(path.joined(separator: "_"), in: file.package, isTable: values == nil)
      types[Self.joined(file.package, path.joined(separator: "."))] = Named(
        name: Self.joined(file.package, name), values: values)
    }
  }

  /// Chooses a name that no other definition has.
  /// - Returns: the name without the namespace.
  mutating func define(_ wanted: String, in package: String, isTable: Bool = true) -> String {
    var name = wanted
    // Fields of an imported file keep their names: it does not know of this one.
    let isField = { [fieldNames] (name: String) in
      isTable
        && fieldNames.contains {
          ($0.key + ".").hasPrefix(package + ".") || package.isEmpty ? $0.value.contains(name) : false
        }
    }
    while Self.reserved.contains(name) || isField(name) || !taken.insert(Self.joined(package, name)).inserted {
      name += "_"
    }
    if isTable { tableNames.insert(name) }
    return name
  }

  /// Notes what a table of a file calls its fields.
  mutating func addFields(_ names: some Sequence<String>, in package: String) {
    fieldNames[package, default: []].formUnion(names)
  }

  /// Returns whether a name that is written in a package means the definition with a whole name: schemas look for it from
  /// the inside to the outside.
  func isVisible(_ whole: String, as written: String, in package: String) -> Bool {
    let scope = package.split(separator: ".")
    let found = (0...scope.count).reversed()
      .map { Self.joined(scope[..<$0].joined(separator: "."), written) }
      .first { taken.contains($0) }
    return found == whole
  }

  static func joined(_ package: String, _ name: String) -> String { package.isEmpty ? name : package + "." + name }
}
