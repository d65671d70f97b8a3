import FBSDiagnostics

/// A field of a table or struct whose rules are still to be checked.
struct PendingField {
  let name: Int
  /// The type; nil if it is wrong, which is reported.
  let type: FieldType?
  let declaration: Declaration
  var presence: FieldDefinition.Presence
  /// The default of a float before it was rounded to the type, if that makes a difference.
  var unroundedDefault: Double?
  /// The size in bytes of the struct that is the type, or the elements' type; see `StructDefinition.byteCount`.
  var byteCount: Int?
  /// The definition that `nested_flatbuffer` names, if it can be nested.
  var nestedType: DefinitionID?

  func has(_ attribute: String) -> Bool { declaration.has(attribute) }

  /// The number of slots that the field takes. The type of a union has a slot of its own.
  var slots: Int {
    switch type {
    case .union, .vector(of: .union): 2
    default: 1
    }
  }
}
