import FlatBuffersJSON
import TextFolding

/// A condition on the objects of a table, with the three-valued logic of the runtime's queries: a comparison with null
/// is neither true nor false.
public struct Filter: Sendable {
  /// A field of the object, or of the element that a condition on elements is about.
  struct Field: Sendable {
    /// How many conditions on elements enclose the condition whose element has the field; 0 for a field of the object.
    let level: Int
    let path: FieldPath
  }

  indirect enum Operand: Sendable {
    case field(Field)
    case value(FieldValue)
    /// A number between a whole number, which is the value, and the next one. No integer equals it.
    case justAbove(FieldValue)
    /// The number of elements of a vector: 0 if it is absent.
    case count(Field)
    /// The number of Unicode scalars in a text.
    case length(Operand)
    /// A text without differences of case, or of case and diacritics.
    case folded(TextFolder.Folding, Operand)
  }

  indirect enum Node: Sendable {
    case any([Node])
    case all([Node])
    case not(Node)
    case comparison(Operand, FilterSyntax.Comparison, Operand)
    case isNull(Operand)
    case truth(Operand)
    case text(FilterSyntax.TextCondition, Operand, SearchedText)
    /// Whether the condition is true for an element of a vector. Never null.
    case hasElement(Field, Node)
  }

  let root: Node

  /// Returns whether an object satisfies the condition; nil if that is unknown because a value is null.
  public func evaluate(_ object: VerifiedObject) -> Bool? { evaluate(root, [object.root]) }

  /// Returns whether a node of the condition is true; nil if that is unknown.
  /// - Parameter origins: the object, and the elements that the conditions around this one are about.
  private func evaluate(_ node: Node, _ origins: [PathOrigin]) -> Bool? {
    switch node {
    case .any(let nodes):
      var isUnknown = false
      for node in nodes {
        guard let isTrue = evaluate(node, origins) else {
          isUnknown = true
          continue
        }
        if isTrue { return true }
      }
      return isUnknown ? nil : false
    case .all(let nodes):
      var isUnknown = false
      for node in nodes {
        guard let isTrue = evaluate(node, origins) else {
          isUnknown = true
          continue
        }
        if !isTrue { return false }
      }
      return isUnknown ? nil : true
    case .not(let inner): return evaluate(inner, origins).map { !$0 }
    case .isNull(let operand): return value(operand, origins) == .null
    case .truth(let operand):
      let value = value(operand, origins)
      return value == .null ? nil : value != .integer(0)
    case .comparison(let left, let comparison, let right):
      let (a, b) = (value(left, origins), value(right, origins))
      guard a != .null, b != .null else { return nil }
      var order = FieldValue.order(a, b)
      if order == 0, case .justAbove = right { order = -1 }
      if order == 0, case .justAbove = left { order = 1 }
      switch comparison {
      case .equal: return order == 0
      case .unequal: return order != 0
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      case .greaterOrEqual: return order >= 0
      }
    case .text(let condition, let operand, let searched):
      guard case .text(let text) = value(operand, origins) else { return nil }
      switch condition {
      case .prefix: return text.starts(with: searched.bytes)
      case .suffix: return text.suffix(searched.bytes.count).elementsEqual(searched.bytes)
      case .part: return searched.isPart(of: text)
      }
    case .hasElement(let vector, let condition):
      return elements(vector, origins).contains { evaluate(condition, origins + [$0]) == true }
    }
  }

  private func elements(_ vector: Field, _ origins: [PathOrigin]) -> VectorElements {
    origins[vector.level].elements(at: vector.path)
  }

  private func value(_ operand: Operand, _ origins: [PathOrigin]) -> FieldValue {
    switch operand {
    case .field(let field): return origins[field.level].value(at: field.path)
    case .value(let value), .justAbove(let value): return value
    case .count(let vector): return .integer(Int64(elements(vector, origins).count))
    case .length(let operand):
      guard case .text(let text) = value(operand, origins) else { return .null }
      // The bytes that begin a scalar.
      return .integer(Int64(text.count(where: { $0 & 0xC0 != 0x80 })))
    case .folded(let folding, let operand):
      guard case .text(let text) = value(operand, origins) else { return .null }
      return .text(TextFolder.fold(text, folding))
    }
  }
}

/// A text that is searched for in others, by the algorithm of Knuth, Morris and Pratt: a search takes a time that grows
/// with the sum of the lengths.
struct SearchedText: Sendable {
  let bytes: [UInt8]
  /// For each length of a prefix, the length of its longest proper prefix that is also its suffix.
  private let borders: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var borders = [Int](repeating: 0, count: bytes.count + 1)
    var length = 0
    for index in bytes.indices.dropFirst() {
      while length > 0, bytes[index] != bytes[length] { length = borders[length] }
      if bytes[index] == bytes[length] { length += 1 }
      borders[index + 1] = length
    }
    self.borders = borders
  }

  /// Returns whether the text is somewhere in another one.
  func isPart(of text: [UInt8]) -> Bool {
    if bytes.isEmpty { return true }
    var matched = 0
    for byte in text {
      while matched > 0, byte != bytes[matched] { matched = borders[matched] }
      if byte == bytes[matched] { matched += 1 }
      if matched == bytes.count { return true }
    }
    return false
  }
}
