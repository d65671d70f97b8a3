import FBSSchema

/// The query fields of a table: as seen from itself where it is a root, and as seen from whatever object holds one.
struct QueryFieldsGenerator {
  private let definition: TableDefinition
  private let modelName: String
  private let isRoot: Bool
  private let fields: [SwiftField]
  private let names: Namer

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    modelName = unit.names.model(id)
    isRoot = unit.isRoot(id)
    fields = SwiftField.live(definition, in: unit)
    names = unit.names
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(modelName)") { writer in
      if isRoot {
        for field in fields {
          property(field, element: modelName, path: ".root", keywords: "public static let", to: &writer)
        }
      } else {
        nestedFields(to: &writer)
      }
    }
  }

  private func nestedFields(to writer: inout CodeWriter) {
    writer.line("/// The fields of \(definition.name.withArticle) within an `Element`, for use in a query.")
    writer.block("public struct Fields<Element: Atom>: Sendable") { writer in
      writer.line("public let _path: FieldPath")
      writer.blank()
      writer.block("public init(_ path: FieldPath)") { $0.line("_path = path") }
      if fields.contains(where: { query($0, element: "Element", path: "_path") != nil }) {
        writer.blank()
      }
      for field in fields {
        property(field, element: "Element", path: "_path", keywords: "public var", to: &writer)
      }
    }
  }

  private func property(
    _ field: SwiftField, element: String, path: String, keywords: String, to writer: inout CodeWriter
  ) {
    guard let query = query(field, element: element, path: path) else { return }
    writer.documentation(field.field.declaration.documentation)
    if keywords.hasSuffix("let") {
      writer.line("\(keywords) \(field.name) = \(query.type)(\(query.arguments))")
    } else {
      writer.line("\(keywords) \(field.name): \(query.type) { .init(\(query.arguments)) }")
    }
  }

  /// The type of the query field and what it is made of; nil for a vector, which has no single value to compare.
  private func query(_ field: SwiftField, element: String, path: String) -> (type: String, arguments: String)? {
    if let value = field.queryValueType, let record = field.recordField(path: path) {
      return ("QueryExpression<\(value), \(element)>", record)
    }
    switch field.field.type {
    case .table(let id):
      let holder = path == ".root" ? "FieldPath.root" : path
      return ("\(names.model(id)).Fields<\(element)>", "\(holder).table(at: \(field.slot))")
    case .union(let id):
      return ("UnionField<\(names.model(id)), \(element)>", "\(path), at: \(field.slot)")
    case .scalar, .enumeration, .string, .structure, .vector:
      return nil
    }
  }
}
