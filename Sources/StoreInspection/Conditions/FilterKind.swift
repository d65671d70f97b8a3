import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON

/// The kind of an operand's values, as far as comparisons are concerned.
enum FilterKind {
  case number(ScalarType)
  case bool
  /// A text, which may stand for a UUID.
  case text(isUUID: Bool)
  /// A number that represents something else, such as a date.
  case mapped(ValueMapping, ScalarType)
  /// The names of an enum's values, or of a union's members, with their bits as numbers of the type.
  case names([String: Int64], ScalarType, of: String)
  /// A struct of this number of bytes, which may stand for a UUID.
  case bytes(Int, isUUID: Bool)
  /// A vector, with the type of its elements, which may be structs or strings that stand for UUIDs.
  case vector(of: MemberType, areUUIDs: Bool)
  /// A value that can only be tested for presence.
  case presence

  init(_ number: NumberType, _ schema: Schema) {
    switch number.names {
    case .enumeration(let id):
      let names = schema[id].names.map { ($0.name, $0.number) }
      self = .names(
        Dictionary(names, uniquingKeysWith: { first, _ in first }), schema[id].underlyingType,
        of: schema[id].name.description)
    case .union(let id): self = .members(of: id, schema)
    case nil:
      if let mapping = number.mapping, mapping.isText {
        self = .mapped(mapping, number.scalar)
      } else {
        self = number.scalar == .bool ? .bool : .number(number.scalar)
      }
    }
  }

  /// Returns the kind of a union: it is compared with the names of its members.
  static func members(of id: UnionID, _ schema: Schema) -> FilterKind {
    let names = schema[id].members.map { ($0.name, $0.code) }
    return .names(
      Dictionary(names, uniquingKeysWith: { first, _ in first }), schema[id].underlyingType,
      of: schema[id].name.description)
  }

  /// Whether the values are floating-point numbers.
  var isReal: Bool {
    switch self {
    case .number(let scalar), .mapped(_, let scalar): scalar.isFloatingPoint
    case .bool, .text, .names, .bytes, .vector, .presence: false
    }
  }

  /// Returns whether values of two kinds can be compared with one another.
  func isComparable(with other: FilterKind) -> Bool {
    switch (self, other) {
    case (.text, .text), (.bytes, .bytes): true
    case (.presence, _), (_, .presence), (.vector, _), (_, .vector), (.text, _), (_, .text), (.bytes, _), (_, .bytes):
      false
    // Numbers of different units.
    case (.mapped(let a, _), .mapped(let b, _)): a == b
    default: true
    }
  }

  /// Returns the mistake of a value of another kind.
  func mismatch(_ range: SourceRange) -> FilterMistake {
    switch self {
    case .number: FilterMistake(.wrongFilterType, "a number is due here", at: range, advice: "such as `3`")
    case .mapped(let mapping, _):
      FilterMistake(
        .wrongFilterType, "\(mapping.due) is due here", at: range, advice: "such as \(mapping.example), or a number")
    case .bool: FilterMistake(.wrongFilterType, "a bool is due here", at: range, advice: "write `true` or `false`")
    case .text: FilterMistake(.wrongFilterType, "a text is due here", at: range, advice: "write it in quotes")
    case .names(let names, _, let type):
      FilterMistake(
        .wrongFilterType, "a value of `\(type)` is due here", at: range,
        advice: names.keys.sorted().first.map { "such as `\($0)`" } ?? "")
    case .bytes(let count, let isUUID):
      FilterMistake(
        .wrongFilterType, isUUID ? "a UUID is due here" : "\(2 * count) hexadecimal digits are due here", at: range,
        advice: isUUID ? "such as '0e37df36-f698-11e6-8dd4-cb9ced3df976'" : "write them in quotes")
    case .vector:
      FilterMistake(
        .wrongFilterType, "a vector has no single value to compare", at: range,
        advice: "write `contains`, `is empty`, or `.count` behind its name")
    case .presence:
      FilterMistake(
        .wrongFilterType, "this field has no single value to compare", at: range,
        advice: "write `is null` or `is not null`")
    }
  }
}

extension ValueMapping {
  /// Whether filters write the mapping's numbers as text.
  fileprivate var isText: Bool {
    switch self {
    case .date, .duration, .decimal: true
    case .uuid, .url, .swiftType: false
    }
  }

  fileprivate var due: String {
    switch self {
    case .date: "a date"
    case .duration: "a duration"
    case .decimal, .uuid, .url, .swiftType: "a number"
    }
  }

  fileprivate var example: String {
    switch self {
    case .date: "'2026-11-28' or '2026-11-28T16:09:51Z'"
    case .duration: "'1.5 s' or '90 min'"
    case .decimal, .uuid, .url, .swiftType: "'19.99'"
    }
  }
}
