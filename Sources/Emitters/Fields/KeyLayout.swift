import FBSSchema

extension Schema {
  /// Returns the lines of the static member `keyLayout`, which describes a key of `type` to the runtime. The key begins
  /// `offset` bytes after the start of a struct of `byteSize` bytes. For a key in a table, that struct is the key
  /// itself, and `offset` is 0.
  func keyLayout(
    of type: StructDefinition.FieldType, at offset: Int, byteSize: Int, _ imported: ImportedTypeNames
  ) -> [CodeText] {
    let name = imported[.flatBufferKeyLayout]
    var lists = KeyPartLists(self, partType: "\(name).Part")
    for id in structsOfKey(type) { lists.add(id) }
    let parts = lists.parts(of: type, at: offset)
    var list = "[\(parts.map(\.text).joined(separator: ", "))]"
    if lists.lines.isEmpty {
      return ["public static let keyLayout = \(name)(byteSize: \(byteSize), \(list))"]
    }
    if case .structure(let id) = type, offset == 0, let variable = lists.variables[id] { list = variable }
    let head: [CodeText] = [
      "public static let keyLayout = _makeKeyLayout()", "private static func _makeKeyLayout() -> \(name) {",
    ]
    return head + lists.lines.map { "  \($0)" } + ["  return \(name)(byteSize: \(byteSize), \(list))", "}"]
  }

  /// Returns the structs in a key, each once, after all that it holds. A chain of structs may be long: this does not
  /// recurse.
  private func structsOfKey(_ type: StructDefinition.FieldType) -> [StructID] {
    guard case .structure(let key)? = type.definition else { return [] }
    var order: [StructID] = []
    var known: Set<StructID> = [key]
    var stack = [(id: key, field: 0)]
    while let (id, field) = stack.last {
      guard field < self[id].fields.count else {
        order.append(id)
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].field += 1
      if case .structure(let inner)? = self[id].fields[field].type.definition, known.insert(inner).inserted {
        stack.append((inner, 0))
      }
    }
    return order
  }
}

/// The Swift source of one part of a key layout: a number, or a fixed array of numbers or structs, with its position.
private enum KeyPart {
  /// Numbers of a type. The count is nil for a single one.
  case numbers(String, at: Int, count: Int?)
  /// Structs whose parts are an expression of a list, with the number of parts in that source.
  case structures(String, at: Int, stride: Int, count: Int, partCount: Int)

  /// The number of parts in the source, including those within this part.
  var count: Int {
    switch self {
    case .numbers: 1
    case .structures(_, _, _, _, let partCount): 1 + partCount
    }
  }

  /// The part as one Swift expression.
  var text: String {
    switch self {
    case .numbers(let type, let place, let count):
      ".numbers(.\(type), at: \(place)\(count.map { ", count: \($0)" } ?? ""))"
    case .structures(let list, let place, let stride, let count, _):
      ".structures(\(list), at: \(place), stride: \(stride), count: \(count))"
    }
  }

  /// Returns the part of a struct that begins `distance` bytes later.
  func moved(by distance: Int) -> KeyPart {
    switch self {
    case .numbers(let type, let place, let count): .numbers(type, at: place + distance, count: count)
    case .structures(let list, let place, let stride, let count, let partCount):
      .structures(list, at: place + distance, stride: stride, count: count, partCount: partCount)
    }
  }
}

/// The parts of a key, in the order of comparison: a struct's fields one by one.
///
/// A struct with many parts has one list, to which all that hold the struct refer. If each struct holds the next one
/// twice, the number of parts doubles with each, and the source only grows.
private struct KeyPartLists {
  private let schema: Schema
  private let partType: String
  /// The statements that make the lists, one for each part: in one array literal, the Swift compiler would infer the
  /// types of all items together, in quadratic time.
  private(set) var lines: [CodeText] = []
  /// The local variables that hold the lists.
  private(set) var variables: [StructID: String] = [:]
  /// The parts of the structs without a list.
  private var fewParts: [StructID: [KeyPart]] = [:]

  init(_ schema: Schema, partType: String) {
    self.schema = schema
    self.partType = partType
  }

  /// Collects the parts of a struct, given those of all structs that it holds.
  mutating func add(_ id: StructID) {
    var found: [KeyPart] = []
    for field in schema[id].fields { found += parts(of: field.type, at: field.offset) }
    guard found.reduce(0, { $0 + $1.count }) > CodeWriter.longestCall else {
      fewParts[id] = found
      return
    }
    let variable = "parts\(variables.count + 1)"
    lines.append("var \(variable): [\(partType)] = []")
    for part in found { lines.append("\(variable).append(\(part.text))") }
    variables[id] = variable
  }

  /// Returns the parts of a type at an offset, given those of all structs in it.
  func parts(of type: StructDefinition.FieldType, at offset: Int) -> [KeyPart] {
    switch type {
    case .scalar(let scalar): return [.numbers(scalar.rawValue, at: offset, count: nil)]
    case .enumeration(let id): return [.numbers(schema[id].underlyingType.rawValue, at: offset, count: nil)]
    case .structure(let id):
      if let parts = fewParts[id] { return parts.map { $0.moved(by: offset) } }
      return [structures(id, at: offset, count: 1)]
    case .array(.scalar(let scalar), let count): return [.numbers(scalar.rawValue, at: offset, count: count)]
    case .array(.enumeration(let id), let count):
      return [.numbers(schema[id].underlyingType.rawValue, at: offset, count: count)]
    case .array(.structure(let id), let count): return [structures(id, at: offset, count: count)]
    case .array(.array, _): return []  // Arrays of arrays do not resolve.
    }
  }

  private func structures(_ id: StructID, at offset: Int, count: Int) -> KeyPart {
    let stride = schema[id].size
    if let parts = fewParts[id] {
      let list = "[\(parts.map(\.text).joined(separator: ", "))]"
      let partCount = parts.reduce(0) { $0 + $1.count }
      return .structures(list, at: offset, stride: stride, count: count, partCount: partCount)
    }
    // What holds a long list counts as long, too: the variable stands in the same function.
    return .structures(
      variables[id] ?? "[]", at: offset, stride: stride, count: count, partCount: CodeWriter.longestCall)
  }
}
