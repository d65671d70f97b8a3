import FBSSchema

/// The code of the editors for a field of a table.
extension SwiftField {
  /// The type of the editor's property; nil if the field has no part of a fixed size.
  var editorType: CodeText? {
    switch field.type {
    case .scalar, .enumeration: return readerType
    case .structure(let id): return "\(names.editor(id))?"
    case .table(let id): return "\(names.editor(id))?"
    case .union(let id): return "\(names.editor(id))?"
    case .vector(.scalar(let scalar)):
      return "\(imported[.flatBufferVectorEditor])<\(imported[scalar.swiftType])>"
    case .vector(.enumeration(let id)): return "\(imported[.flatBufferVectorEditor])<\(names.value(id))>"
    case .vector(.structure(let id)): return "\(imported[.flatBufferVectorEditor])<\(names.editor(id))>"
    case .vector(.table(let id)): return "\(imported[.flatBufferVectorEditor])<\(names.editor(id))>"
    case .vector(.union(let id)): return "\(imported[.flatBufferUnionVectorEditor])<\(names.editor(id))>"
    case .string, .vector(.string): return nil
    }
  }

  /// The expression that reads the field from `_editor`; nil for strings and vectors of strings, which have no editor.
  var editorRead: CodeText? {
    switch field.type {
    case .scalar, .enumeration: return scalarRead(from: "_editor")
    case .structure: return "_editor.structure(at: \(slot))"
    case .table: return "_editor.table(at: \(slot))"
    case .union: return "_editor.union(at: \(slot))"
    case .vector(.scalar), .vector(.enumeration), .vector(.structure), .vector(.table):
      return "_editor.vector(\(slotArgument))"
    case .vector(.union): return "_editor.unionVector(at: \(slot))"
    case .string, .vector(.string): return nil
    }
  }

  /// The argument's type, and the expression that sets the field to it; nil if only parts of the field can be changed.
  var editorChange: (argument: String, expression: String)? {
    let argument: String
    let value: String
    switch field.type {
    case .scalar(let scalar): (argument, value) = (imported[scalar.swiftType], name)
    case .enumeration(let id): (argument, value) = (names.value(id), name + ".rawValue")
    case .string, .structure, .table, .union, .vector: return nil
    }
    guard case .defaulted(let number) = field.presence else {
      return (argument, "_editor.mutate(\(value), at: \(slot))")
    }
    return (argument, "_editor.mutate(\(value), default: \(number.swiftLiteral), at: \(slot))")
  }
}

/// The code of the editors for a field of a struct.
extension SwiftStructField {
  /// The type of the editor's property.
  var editorType: String { editorType(of: field.type) }

  private func editorType(of type: StructDefinition.FieldType) -> String {
    switch type {
    case .scalar(let scalar): imported[scalar.swiftType]
    case .enumeration(let id): names.value(id)
    case .structure(let id): names.editor(id)
    case .array(let element, _): "\(imported[.flatBufferVectorEditor])<\(editorType(of: element))>"
    }
  }

  /// The expression that reads the field from `_editor`.
  var editorRead: String {
    switch field.type {
    case .scalar: "_editor.scalar(at: \(field.offset))"
    case .enumeration(let id): "\(names.value(id))(rawValue: _editor.scalar(at: \(field.offset)))"
    case .structure: "_editor.structure(at: \(field.offset))"
    case .array(_, let count): "_editor.fixedArray(at: \(field.offset), count: \(count))"
    }
  }

  /// The statement that sets the field to `newValue`; nil if only parts of the field can be changed.
  var editorSet: String? {
    switch field.type {
    case .scalar: "_editor.set(newValue, at: \(field.offset))"
    case .enumeration: "_editor.set(newValue.rawValue, at: \(field.offset))"
    case .structure, .array: nil
    }
  }
}
