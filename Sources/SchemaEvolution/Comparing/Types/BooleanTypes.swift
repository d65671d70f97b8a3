import FBSSchema

/// Finds Boolean types: `bool`, and enums of one byte whose only numbers are 0 and 1. All have the same bytes.
extension Schema {
  func isBoolean(_ type: FieldType) -> Bool {
    switch type {
    case .scalar(let scalar): scalar == .bool
    case .enumeration(let id): isBoolean(id)
    default: false
    }
  }

  func isBoolean(_ type: StructDefinition.FieldType) -> Bool {
    switch type {
    case .scalar(let scalar): scalar == .bool
    case .enumeration(let id): isBoolean(id)
    default: false
    }
  }

  private func isBoolean(_ id: EnumID) -> Bool {
    let definition = self[id]
    let numbers = Set(definition.values.map(\.number))
    // A set of bits also has a 0, the set without flags.
    return definition.underlyingType.size == 1 && (definition.isBitFlags ? numbers == [1] : numbers == [0, 1])
  }
}

extension VersionPair {
  /// Returns whether the values of both types are 0 and 1 in a byte, or vectors of these.
  func areBothBoolean(_ first: FieldType, _ second: FieldType) -> Bool {
    switch (first, second) {
    case (.vector(of: let first), .vector(of: let second)): areBothBoolean(first.asField, second.asField)
    default: old.schema.isBoolean(first) && new.schema.isBoolean(second)
    }
  }

  /// Returns whether the values of both types of a struct's field are 0 and 1 in a byte, or arrays of these with the same
  /// length.
  func areBothBoolean(_ first: StructDefinition.FieldType, _ second: StructDefinition.FieldType) -> Bool {
    switch (first, second) {
    case (.array(of: let first, let count), .array(of: let second, let other)):
      count == other && areBothBoolean(first, second)
    default: old.schema.isBoolean(first) && new.schema.isBoolean(second)
    }
  }
}

/// The texts of findings about a field whose type changed from one Boolean type to another.
enum BooleanTypes {
  static let harm = "both are 0 or 1 in a byte, so that data is safe; code that uses the old type stops building"
  static let advice = "change the code as well; a third value would be read as true by older versions"
}
