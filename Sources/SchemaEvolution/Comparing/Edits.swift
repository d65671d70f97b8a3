import FBSDiagnostics
import FBSParser
import FBSSchema

extension ComparisonStage {
  func typeRange(_ field: FieldDefinition) -> SourceRange { field.declaration.typeRange ?? field.declaration.nameRange }

  func requiredRange(_ field: FieldDefinition) -> SourceRange {
    field.declaration.attribute("required")?.range ?? field.declaration.nameRange
  }

  /// Writes an attribute.
  func insertion(_ attribute: String, _ field: FieldDefinition) -> Finding.FixIt? {
    guard let (place, isFirst) = new.attributeInsertion(of: field.declaration) else { return nil }
    return .init(
      title: "write `\(attribute)`", range: place, replacement: isFirst ? " (\(attribute))" : ", \(attribute)")
  }

  /// Takes an attribute away, with its comma or its parentheses.
  func removal(_ name: String, _ declaration: Declaration) -> Finding.FixIt? {
    guard let attribute = declaration.attribute(name) else { return nil }
    let bytes = new.sources[attribute.range.file].bytes
    var (start, end) = (attribute.range.start, attribute.range.end)
    let attributes = declaration.attributes
    if attributes.count == 1 {
      while start > 0, bytes[start] != UInt8(ascii: "(") { start -= 1 }
      while end < bytes.count, bytes[end] != UInt8(ascii: ")") { end += 1 }
      end = min(end + 1, bytes.count)
      while start > 0, bytes[start - 1] == UInt8(ascii: " ") { start -= 1 }
    } else if let place = attributes.firstIndex(of: attribute) {
      if place + 1 < attributes.count {
        end = attributes[place + 1].range.start
      } else {
        start = attributes[place - 1].range.end
      }
    }
    return .init(
      title: "remove `\(name)`", range: SourceRange(file: attribute.range.file, start: start, end: end), replacement: ""
    )
  }
}

extension SchemaVersion {
  /// What to take away for a field to have no default. Nothing if comments are in the way.
  func defaultRemoval(of field: Declaration) -> SourceRange? {
    guard let type = field.typeRange, let value = field.valueRange else { return nil }
    let isPlain = sources[type.file].bytes[type.end..<value.start].allSatisfy {
      $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\n")
        || $0 == UInt8(ascii: "\r")
    }
    return isPlain ? SourceRange(file: type.file, start: type.end, end: value.end) : nil
  }

  /// The place after a field's semicolon.
  func end(of field: Declaration) -> SourceRange? {
    guard let (place, _) = attributeInsertion(of: field) else { return nil }
    let bytes = sources[place.file].bytes
    guard let semicolon = bytes[place.end...].firstIndex(of: UInt8(ascii: ";")) else { return nil }
    return SourceRange(file: place.file, start: semicolon + 1, end: semicolon + 1)
  }

  /// The place where a field's next attribute is written, and whether it is its first.
  func attributeInsertion(of field: Declaration) -> (place: SourceRange, isFirst: Bool)? {
    let last = field.attributes.last?.range
    guard let end = last ?? field.valueRange ?? field.typeRange else { return nil }
    return (SourceRange(file: end.file, start: end.end, end: end.end), last == nil)
  }
}
