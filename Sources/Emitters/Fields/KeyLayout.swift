import FBSSchema

extension Schema {
  /// Returns the lines of the static member `keyLayout`, which describes a key of `type` to the runtime. The key begins
  /// `offset` bytes after the start of a struct of `byteSize` bytes. For a key in a table, that struct is the key
  /// itself, and `offset` is 0.
  func keyLayout(
    of type: StructDefinition.FieldType, at offset: Int, byteSize: Int, _ imported: ImportedTypeNames
  ) -> [CodeText] {
    let parts = keyParts(of: type, at: offset)
    let name = imported[.flatBufferKeyLayout]
    guard parts.reduce(0, { $0 + $1.count }) > CodeWriter.longestCall else {
      let list = parts.map(\.text).joined(separator: ", ")
      return ["public static let keyLayout = \(name)(byteSize: \(byteSize), [\(list)])"]
    }
    // A function with a statement for each part: in one array literal, the Swift compiler would infer the types of all
    // items together, in quadratic time.
    var statements = KeyLayoutStatements(partType: "\(name).Part")
    let list = statements.list(parts)
    let head: [CodeText] = [
      "public static let keyLayout = _makeKeyLayout()", "private static func _makeKeyLayout() -> \(name) {",
    ]
    return head + statements.lines.map { "  \($0)" } + ["  return \(name)(byteSize: \(byteSize), \(list))", "}"]
  }

  /// Returns the parts of a key, in the order of comparison: a struct's fields one by one.
  private func keyParts(of type: StructDefinition.FieldType, at offset: Int) -> [KeyPart] {
    switch type {
    case .scalar(let scalar): return [.numbers(".\(scalar), at: \(offset)")]
    case .enumeration(let id): return [.numbers(".\(self[id].underlyingType), at: \(offset)")]
    case .structure(let id):
      return self[id].fields.flatMap { keyParts(of: $0.type, at: offset + $0.offset) }
    case .array(.scalar(let scalar), let count): return [.numbers(".\(scalar), at: \(offset), count: \(count)")]
    case .array(.enumeration(let id), let count):
      return [.numbers(".\(self[id].underlyingType), at: \(offset), count: \(count)")]
    case .array(.structure(let id), let count):
      let place = "at: \(offset), stride: \(self[id].size), count: \(count)"
      return [.structures(keyParts(of: .structure(id), at: 0), place)]
    case .array(.array, _): return []  // Arrays of arrays do not resolve.
    }
  }
}

/// The Swift source of one part of a key layout: a number or struct, or a fixed array of them, with its position.
private indirect enum KeyPart {
  case numbers(String)
  case structures([KeyPart], String)

  /// The number of parts in the source, including those within this part.
  var count: Int {
    switch self {
    case .numbers: 1
    case .structures(let parts, _): parts.reduce(1) { $0 + $1.count }
    }
  }

  /// The part as one Swift expression.
  var text: String {
    switch self {
    case .numbers(let arguments): ".numbers(\(arguments))"
    case .structures(let parts, let place): ".structures([\(parts.map(\.text).joined(separator: ", "))], \(place))"
    }
  }
}

/// Builds the statements that assemble the parts of a key's description.
private struct KeyLayoutStatements {
  let partType: String
  private(set) var lines: [CodeText] = []
  private var listCount = 0

  init(partType: String) { self.partType = partType }

  /// Adds the statements that make a list of `parts`, and returns the name of the local variable that holds it.
  mutating func list(_ parts: [KeyPart]) -> String {
    listCount += 1
    let name = "parts\(listCount)"
    lines.append("var \(name): [\(partType)] = []")
    for part in parts {
      var text = part.text
      if case .structures(let inner, let place) = part { text = ".structures(\(list(inner)), \(place))" }
      lines.append("\(name).append(\(text))")
    }
    return name
  }
}
