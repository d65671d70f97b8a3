import FBSSchema

/// The features of a schema that not every implementation of FlatBuffers has.
struct AdvancedFeatures: OptionSet {
  let rawValue: UInt64

  /// Arrays of a fixed length in structs.
  static let arrays = AdvancedFeatures(rawValue: 1)
  /// Vectors of unions. Unions of structs or strings do not count, though few implementations have them.
  static let unions = AdvancedFeatures(rawValue: 2)
  /// Numbers, bools and enums that may be absent.
  static let optionalScalars = AdvancedFeatures(rawValue: 4)
  /// Defaults of strings and vectors.
  static let defaultObjects = AdvancedFeatures(rawValue: 8)

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Finds the features that the definitions of the files use.
  init(_ schema: Schema, _ scope: SchemaScope) {
    self = []
    for file in scope.files {
      for id in file.definitions {
        switch id {
        case .enumeration, .union: break
        case .structure(let id): for field in schema[id].fields { insert(field) }
        case .table(let id): for field in schema[id].fields { insert(field) }
        }
      }
    }
  }

  private mutating func insert(_ field: StructDefinition.Field) {
    if case .array = field.type { insert(.arrays) }
  }

  private mutating func insert(_ field: FieldDefinition) {
    switch (field.type, field.presence) {
    case (.vector(of: .union), _): insert(.unions)
    case (.scalar, .optional), (.enumeration, .optional): insert(.optionalScalars)
    default: break
    }
    if case .defaultedObject = field.presence { insert(.defaultObjects) }
  }
}
