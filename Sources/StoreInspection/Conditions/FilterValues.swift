import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON

extension FilterReader {
  /// The kind of a field's values, as far as comparisons are concerned.
  enum Kind {
    case number, bool, text
    /// A number that represents something else, such as a date.
    case mapped(ValueMapping)
    case names([String: Int64], of: String)
    /// A value that can only be tested for presence.
    case presence
  }

  func mismatch(_ kind: Kind, _ range: SourceRange) -> FilterMistake {
    switch kind {
    case .number: FilterMistake(.wrongFilterType, "a number is due here", at: range, advice: "such as `3`")
    case .mapped(let mapping):
      FilterMistake(
        .wrongFilterType, "\(mapping.due) is due here", at: range, advice: "such as \(mapping.example), or a number")
    case .bool: FilterMistake(.wrongFilterType, "a bool is due here", at: range, advice: "write `true` or `false`")
    case .text: FilterMistake(.wrongFilterType, "a text is due here", at: range, advice: "write it in quotes")
    case .names(let names, let type):
      FilterMistake(
        .wrongFilterType, "a value of `\(type)` is due here", at: range,
        advice: names.keys.sorted().first.map { "such as `\($0)`" } ?? "")
    case .presence:
      FilterMistake(
        .wrongFilterType, "this field has no single value to compare", at: range,
        advice: "write `is null` or `is not null`")
    }
  }

  func value(_ operand: FilterSyntax.Operand, as kind: Kind) throws(FilterMistake) -> FieldValue {
    switch (kind, operand.kind) {
    case (.text, .text(let text)): return .text(Array(text.utf8))
    case (.bool, .bool(let value)), (.number, .bool(let value)): return .integer(value ? 1 : 0)
    case (.mapped(let mapping), .text(let text)):
      guard let value = ValueText.value(text, mapping) else { throw mismatch(kind, operand.range) }
      return value
    case (.number, .number(let text)), (.bool, .number(let text)), (.names, .number(let text)),
      (.mapped, .number(let text)):
      if let whole = Int64(text) { return .integer(whole) }
      if let whole = UInt64(text) { return .unsigned(whole) }
      guard let real = Double(text), !real.isNaN else { throw mismatch(.number, operand.range) }
      return .real(real)
    case (.number, .path(let path)) where ["inf", "infinity"].contains(path.joined(separator: ".").lowercased()):
      return .real(.infinity)
    case (.names(let names, let type), .path(let path)):
      return try named(path.last ?? "", names, type, operand.range)
    case (.names(let names, let type), .text(let text)):
      return try named(text, names, type, operand.range)
    case (.presence, _): throw mismatch(kind, operand.range)
    default:
      // A name that is no field is more likely a slip than a value.
      if case .path(let path) = operand.kind { _ = try resolve(path, at: operand.range) }
      throw mismatch(kind, operand.range)
    }
  }

  private func named(
    _ name: String, _ names: [String: Int64], _ type: String, _ range: SourceRange
  ) throws(FilterMistake) -> FieldValue {
    var bits: Int64 = 0
    for word in name.split(separator: " ", omittingEmptySubsequences: false) {
      guard let number = names[String(word)] else {
        let near = nearestName(to: String(word), in: names.keys.sorted())
        throw FilterMistake(
          .unknownFilterName, "`\(type)` has no value `\(word)`", at: range,
          advice: near.map { "did you mean `\($0)`?" } ?? "")
      }
      bits |= number
    }
    return .integer(bits)
  }
}

extension ValueMapping {
  /// Whether filters write the mapping's numbers as text.
  var isText: Bool {
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
