/// A Swift type that a field represents. The buffer has plain numbers, strings or bytes for its values.
///
/// `created: long (date: "ms")` is a `Date` in the data model, in change requests and in queries. The bytes, and the accessors
/// of this and of other languages, have the number.
public enum ValueMapping: Hashable, Sendable {
  /// A point in time: the count of a unit since the start of 1970, in UTC.
  case date(TimeUnit)
  /// A length of time: the count of a unit.
  case duration(TimeUnit)
  /// A UUID: a struct of its 16 bytes, or a string of 36 characters, whose letters are small.
  case uuid
  /// A decimal number: the count of units of its last decimal place.
  case decimal(places: Int)
  /// A URL: its text.
  case url
  /// A type of the app, by its name.
  case swiftType(String)

  /// A unit of time.
  public enum TimeUnit: String, Hashable, CaseIterable, Sendable {
    /// The unit that `(date: "...")` calls so.
    case s, ms, us, ns

    /// The number of these units in a second.
    public var perSecond: Int64 {
      switch self {
      case .s: 1
      case .ms: 1_000
      case .us: 1_000_000
      case .ns: 1_000_000_000
      }
    }
  }

  /// The most decimal places that a decimal number may have: one of 18 is a number below 10 in a `long`.
  public static let maximumPlaces = 18
}

extension ValueMapping {
  /// The attributes that map a field to a type of Swift.
  static let attributeNames: Set<String> = ["date", "duration", "uuid", "decimal", "url", "swift_type"]

  /// Creates the mapping that an attribute asks for; nil if it asks for none, or its value is wrong.
  init?(_ attribute: Attribute) {
    let text: String? =
      switch attribute.value {
      case .string(let text): text
      case .integer(let number): String(number)
      case nil: nil
      }
    switch attribute.name {
    case "date":
      guard let unit = text.flatMap(TimeUnit.init) else { return nil }
      self = .date(unit)
    case "duration":
      guard let unit = text.flatMap(TimeUnit.init) else { return nil }
      self = .duration(unit)
    case "decimal":
      guard let text, let places = Int(text), String(places) == text, (0...Self.maximumPlaces).contains(places) else {
        return nil
      }
      self = .decimal(places: places)
    case "uuid": self = .uuid
    case "url": self = .url
    case "swift_type":
      guard let text, Self.isTypeName(text) else { return nil }
      self = .swiftType(text)
    default: return nil
    }
  }

  /// Returns whether a text is the name of a type of Swift, perhaps within other types or a module: `Theme.RGB`.
  private static func isTypeName(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      guard let first = part.unicodeScalars.first, first == "_" || first.properties.isXIDStart, part != "_" else {
        return false
      }
      return part.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    }
  }

  /// Returns whether values of the mapping are kept as numbers of the type.
  func keeps(in scalar: ScalarType) -> Bool {
    switch self {
    // In milliseconds, 32 bits end after 24 days.
    case .date(.s): [.int32, .uint32, .int64, .uint64, .double].contains(scalar)
    case .date: [.int64, .uint64].contains(scalar)
    case .duration(.s): [.int32, .uint32, .int64, .uint64, .double].contains(scalar)
    case .duration: [.int32, .uint32, .int64, .uint64].contains(scalar)
    case .decimal: scalar.isInteger && scalar.size > 1
    case .swiftType: true
    case .uuid, .url: false
    }
  }

  /// Whether values of the mapping are kept as strings.
  var keepsInStrings: Bool {
    switch self {
    case .uuid, .url, .swiftType: true
    case .date, .duration, .decimal: false
    }
  }

  /// The number of bytes of a UUID.
  private static let uuidByteCount = 16

  /// Returns whether values of the mapping are kept in structs of `count` bytes; nil stands for a struct that is not one array
  /// of bytes.
  func keeps(inBytes count: Int?) -> Bool { self == .uuid && count == Self.uuidByteCount }

  /// Returns whether the mapping fits the type of a table's field, or of the elements of its vector.
  ///
  /// - Parameter byteCount: the number of bytes of the struct that is the type; see `StructDefinition.byteCount`.
  func fits(_ type: FieldType, byteCount: Int?) -> Bool {
    switch type {
    case .scalar(let scalar), .vector(of: .scalar(let scalar)): keeps(in: scalar)
    case .string, .vector(of: .string): keepsInStrings
    case .structure, .vector(of: .structure): keeps(inBytes: byteCount)
    case .enumeration, .table, .union, .vector: false
    }
  }
}

extension Schema {
  /// Whether a field of a table or struct stands for another type.
  public var hasMappings: Bool {
    tables.indices.contains { hasMappings(in: .table(TableID($0))) }
      || structs.indices.contains { hasMappings(in: .structure(StructID($0))) }
  }

  /// Returns whether a field of a definition stands for another type.
  public func hasMappings(in definition: DefinitionID) -> Bool {
    // By the index: a copy of a field counts references.
    switch definition {
    case .table(let id): self[id].fields.indices.contains { self[id].fields[$0].mapping != nil }
    case .structure(let id): self[id].fields.indices.contains { self[id].fields[$0].mapping != nil }
    case .enumeration, .union: false
    }
  }
}

extension FieldDefinition {
  /// The type of Swift that the field, or each element of its vector, stands for; nil if no attribute asks for one, or
  /// the field cannot have it.
  public var mapping: ValueMapping? {
    declaration.mapping.flatMap { $0.fits(type, byteCount: byteCount) ? $0 : nil }
  }
}

extension StructDefinition.Field {
  /// The type of Swift that the field stands for; nil if no attribute asks for one, or the field cannot have it.
  public var mapping: ValueMapping? {
    switch type {
    case .scalar(let scalar): declaration.mapping.flatMap { $0.keeps(in: scalar) ? $0 : nil }
    case .structure: declaration.mapping.flatMap { $0.keeps(inBytes: byteCount) ? $0 : nil }
    case .enumeration, .array: nil
    }
  }
}

extension Declaration {
  /// The mapping that the attributes ask for, whatever the declaration's type is; nil if they ask for none.
  var mapping: ValueMapping? {
    attributes.isEmpty ? nil : attributes.lazy.compactMap(ValueMapping.init).first
  }
}
