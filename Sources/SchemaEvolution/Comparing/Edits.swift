import FBSDiagnostics
import FBSParser
import FBSSchema

extension ComparisonStage {
  func typeRange(_ field: FieldDefinition) -> SourceRange { field.declaration.typeRange ?? field.declaration.nameRange }

  func requiredRange(_ field: FieldDefinition) -> SourceRange {
    field.declaration.attribute("required")?.range ?? field.declaration.nameRange
  }

  /// Returns an edit that adds an attribute to a field of NEW, or nil if the field's declaration has no range for it.
  func insertion(_ attribute: String, _ field: FieldDefinition) -> Finding.FixIt? {
    guard let (place, isFirst) = new.attributeInsertion(of: field.declaration) else { return nil }
    return .init(
      title: "write `\(attribute)`", range: place, replacement: isFirst ? " (\(attribute))" : ", \(attribute)")
  }

  /// Returns an edit that removes an attribute with its comma or its parentheses, or nil if the declaration lacks it or no plain edit
  /// removes it.
  func removal(_ name: String, _ declaration: Declaration) -> Finding.FixIt? {
    guard let range = declaration.attribute(name)?.removal else { return nil }
    return .init(title: "remove `\(name)`", range: range, replacement: "")
  }
}

extension SchemaVersion {
  /// Returns the range to delete so that a field has no default, or nil if it has none or comments are in the way.
  func defaultRemoval(of field: Declaration) -> SourceRange? {
    guard let type = field.typeRange, let value = field.valueRange else { return nil }
    let isPlain = sources[type.file].bytes[type.end..<value.start].allSatisfy {
      $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\n")
        || $0 == UInt8(ascii: "\r")
    }
    return isPlain ? SourceRange(file: type.file, start: type.end, end: value.end) : nil
  }

  /// Returns an empty range where a field's next attribute goes, and whether it is the first; nil if the declaration
  /// has no ranges.
  func attributeInsertion(of field: Declaration) -> (place: SourceRange, isFirst: Bool)? {
    let last = field.attributes.last?.range
    guard let end = last ?? field.valueRange ?? field.typeRange else { return nil }
    return (SourceRange(file: end.file, start: end.end, end: end.end), last == nil)
  }
}
