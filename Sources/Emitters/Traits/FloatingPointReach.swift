import FBSSchema

extension Schema {
  /// Returns whether an object of a type may contain a floating-point number. A NaN is not equal to itself.
  func reachesFloatingPoint(from definition: DefinitionID) -> Bool {
    contents(reachedFrom: [definition]).contains(where: hasFloatingPoint)
  }

  /// Returns whether a field of a table or struct is a floating-point number, or several.
  private func hasFloatingPoint(_ definition: DefinitionID) -> Bool {
    switch definition {
    case .table(let id):
      self[id].fields.contains { field in
        switch field.type {
        case .scalar(let scalar), .vector(.scalar(let scalar)): scalar.isFloatingPoint && !field.isDeprecated
        case .enumeration, .string, .structure, .table, .union, .vector: false
        }
      }
    case .structure(let id):
      self[id].fields.contains { field in
        switch field.type {
        case .scalar(let scalar), .array(.scalar(let scalar), _): scalar.isFloatingPoint
        case .enumeration, .structure, .array: false
        }
      }
    case .enumeration, .union: false
    }
  }
}
