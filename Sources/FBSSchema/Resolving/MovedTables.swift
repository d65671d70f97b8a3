import FBSDiagnostics

// After an edit above a table, the table stands elsewhere in the file: each range in its definition moves.

extension TableDefinition {
  /// Returns the definition with all its ranges moved.
  /// - Parameter distance: by how many bytes the table has moved towards the end of the file; negative towards the start.
  func moved(by distance: Int) -> TableDefinition {
    guard distance != 0 else { return self }
    return TableDefinition(
      name: name, fields: fields.map { $0.moved(by: distance) }, slotCount: slotCount,
      range: range.moved(by: distance), declaration: declaration.moved(by: distance))
  }
}

extension FieldDefinition {
  fileprivate func moved(by distance: Int) -> FieldDefinition {
    FieldDefinition(
      name: name, type: type, id: id, presence: presence, unroundedDefault: unroundedDefault,
      isDeprecated: isDeprecated, isPrimary: isPrimary, byteCount: byteCount, nestedType: nestedType,
      declaration: declaration.moved(by: distance))
  }
}

extension Declaration {
  fileprivate func moved(by distance: Int) -> Declaration {
    Declaration(
      documentation: documentation, attributes: attributes.map { $0.moved(by: distance) },
      nameRange: nameRange.moved(by: distance), typeRange: typeRange?.moved(by: distance),
      valueRange: valueRange?.moved(by: distance))
  }
}

extension Attribute {
  fileprivate func moved(by distance: Int) -> Attribute {
    Attribute(name: name, value: value, range: range.moved(by: distance), removal: removal?.moved(by: distance))
  }
}

extension SourceRange {
  fileprivate func moved(by distance: Int) -> SourceRange {
    SourceRange(file: file, start: start + distance, end: end + distance)
  }
}
