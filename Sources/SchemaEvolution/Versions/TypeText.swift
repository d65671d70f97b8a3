import FBSSchema

extension FieldType {
  /// Returns the type as schemas write it.
  func text(in schema: Schema) -> String {
    switch self {
    case .scalar(let type): type.schemaName
    case .string: "string"
    case .vector(of: let element): "[\(element.asField.text(in: schema))]"
    case .enumeration, .structure, .table, .union: definition.map { schema.name(of: $0).description } ?? ""
    }
  }
}

extension StructDefinition.FieldType {
  /// Returns the type as schemas write it.
  func text(in schema: Schema) -> String {
    switch self {
    case .scalar(let type): type.schemaName
    case .array(of: let element, let count): "[\(element.text(in: schema)):\(count)]"
    case .enumeration, .structure: definition.map { schema.name(of: $0).description } ?? ""
    }
  }
}
