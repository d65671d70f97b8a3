import FBSSchema

extension Schema {
  /// Returns whether two objects of a type may be unequal in Swift, and yet be written as the same bytes.
  ///
  /// Values of three kinds may: a NaN, which is not equal to itself; a fixed array, whose missing elements are written as
  /// zeros; a URL whose nil is written as an empty text.
  func hasUnequalObjectsOfEqualBytes(_ definition: DefinitionID) -> Bool {
    contents(reachedFrom: [definition]).contains(where: hasUnequalValuesOfEqualBytes)
  }

  /// Returns whether a field or member of a definition has such values itself.
  private func hasUnequalValuesOfEqualBytes(_ definition: DefinitionID) -> Bool {
    switch definition {
    case .table(let id):
      self[id].fields.contains { field in
        guard !field.isDeprecated else { return false }
        return switch field.type {
        case .scalar(let scalar), .vector(.scalar(let scalar)): scalar.isFloatingPoint
        case .string: field.writesNilAsText
        case .structure(let id), .vector(.structure(let id)): field.mapping == nil && hasFixedArray(id)
        case .enumeration, .table, .union, .vector: false
        }
      }
    case .structure(let id):
      self[id].fields.contains { field in
        switch field.type {
        case .scalar(let scalar): scalar.isFloatingPoint
        case .structure(let id): field.mapping == nil && hasFixedArray(id)
        // Looked for in what holds the struct: as a UUID, it always has all of its bytes.
        case .array: false
        case .enumeration: false
        }
      }
    case .union(let id):
      self[id].members.contains { member in
        if case .structure(let id) = member.type { hasFixedArray(id) } else { false }
      }
    case .enumeration: false
    }
  }

  private func hasFixedArray(_ id: StructID) -> Bool {
    self[id].fields.contains { if case .array = $0.type { true } else { false } }
  }
}
