import FBSDiagnostics
import FBSParser
import FBSSchema

extension TypeComparer {
  /// Compares the values that a field's numbers, strings or bytes stand for, such as dates. Their stored type did not change.
  ///
  /// - Parameter isBytes: Whether the field is a struct of 16 bytes. Each value of it stands for a UUID.
  mutating func compareMappings(
    _ first: ValueMapping?, _ second: ValueMapping?, _ before: Declaration, _ after: Declaration, _ name: String,
    isBytes: Bool
  ) {
    guard first != second else { return }
    let places = (new: after.mappingRange ?? after.nameRange, old: before.mappingRange ?? before.nameRange)
    if let first, let second, let was = first.count, let now = second.count {
      report(
        .valueUnit, "`\(name)` counted \(was), and counts \(now)",
        harm: "stored numbers are taken for other values: nothing converts them",
        advice: "put it back as it was, and append a field for the new unit", at: places.new, was: places.old,
        "\(was) here", evidence: .precaution)
      guard first.valueType != second.valueType else { return }
    } else if let second, !isBytes, second.hasForm, first?.hasForm != true || first != second {
      report(
        .valueUnit, "the texts of `\(name)` are taken for \(second.plural)",
        harm: "stored texts of another form read as none, and no query for one finds them",
        advice: "make sure that all stored texts have the form, or append a field", at: places.new, was: places.old,
        "any text here", severity: .warning, evidence: .precaution)
    }
    report(
      .valueType, "`\(name)` was \(first.typeText), and is \(second.typeText) in Swift",
      harm: "stored data is as it was; code that uses the property stops building",
      advice: "change the code as well, and see that it means the same values", at: places.new, was: places.old,
      "\(first.typeText) here")
  }
}

extension Declaration {
  /// The range of the attribute that says what the field stands for, or nil if there is none.
  fileprivate var mappingRange: SourceRange? {
    ["date", "duration", "uuid", "decimal", "url", "swift_type"].lazy.compactMap { attribute($0)?.range }.first
  }
}

extension ValueMapping {
  /// The unit of the field's numbers. Nil for strings, and for types of an app, which alone knows the unit.
  fileprivate var count: String? {
    switch self {
    case .date(let unit): "\(unit.plural) since 1970"
    case .duration(let unit): unit.plural
    case .decimal(let places): places == 0 ? "ones" : "units of \(places) decimal places"
    case .uuid, .url, .swiftType: nil
    }
  }

  /// Whether only texts of a certain form stand for a value.
  fileprivate var hasForm: Bool { self == .uuid || self == .url }

  fileprivate var plural: String { self == .uuid ? "UUIDs" : "URLs" }

  fileprivate var valueType: String {
    switch self {
    case .date: "Date"
    case .duration: "Duration"
    case .uuid: "UUID"
    case .decimal: "Decimal"
    case .url: "URL"
    case .swiftType(let name): name
    }
  }
}

extension ValueMapping? {
  fileprivate var typeText: String { map { "`\($0.valueType)`" } ?? "a plain value" }
}

extension ValueMapping.TimeUnit {
  fileprivate var plural: String {
    switch self {
    case .s: "seconds"
    case .ms: "milliseconds"
    case .us: "microseconds"
    case .ns: "nanoseconds"
    }
  }
}
