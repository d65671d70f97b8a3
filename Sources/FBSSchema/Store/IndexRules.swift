import FBSDiagnostics
import FBSParser

// The rules for `indexed` and `unique` on one field.

extension StoreRules {
  /// Checks the indexes of a table's field.
  mutating func checkIndexes(of field: FieldDefinition, in table: TableDefinition, isRoot: Bool) {
    for attribute in field.declaration.indexAttributes {
      checkIndex(attribute, on: field)
      guard !attribute.asksForFolding else {
        checkRepetition(of: attribute, field.declaration)
        continue
      }
      // The primary key has an index of the values, and none of the folded texts.
      if field.isPrimary, isRoot, table.primaryKey.count == 1 || attribute.name == "indexed" {
        warn(
          .idleAttribute, "`\(field.name)` is \(attribute.name == "indexed" ? "already indexed" : "already unique")",
          at: attribute.range, advice: "remove `\(attribute.name)`",
          labels: field.declaration.attribute("primary").map { [.init($0.range, "by this")] } ?? [],
          fixes: attribute.removalFixes)
      } else if !field.type.isVector {
        checkRepetition(of: attribute, field.declaration)
      }
    }
  }

  /// Warns of `indexed` beside a `unique` of the same form.
  private mutating func checkRepetition(of attribute: Attribute, _ declaration: Declaration) {
    guard attribute.name == "indexed", let other = declaration.attribute("unique"),
      other.asksForFolding == attribute.asksForFolding
    else { return }
    warn(
      .idleAttribute, "a unique field is indexed anyway", at: attribute.range, advice: "remove `indexed`",
      fixes: attribute.removalFixes)
  }

  private mutating func checkIndex(_ attribute: Attribute, on field: FieldDefinition) {
    let name = field.name
    let declaration = field.declaration
    guard let content = IndexableContent(field) else {
      let (reason, advice) = obstacle(in: field)
      return reportIndex(attribute, name, reason, advice, declaration)
    }
    switch content {
    case .value, .elements:
      if attribute.name == "unique", content == .elements { return reportUniqueElements(attribute, name, declaration) }
      if attribute.asksForFolding { reportFolding(attribute, name, declaration) }
    case .texts:
      if attribute.name == "unique" { reportUniqueElements(attribute, name, declaration) }
    case .text: break
    }
  }

  /// Returns the reason why a field cannot be indexed, and what to do instead.
  private func obstacle(in field: FieldDefinition) -> (reason: String, advice: String) {
    switch field.type {
    case .structure: Self.obstacleInStruct
    case .vector(of: .scalar), .vector(of: .enumeration):
      ("its bytes are a buffer of their own", "copy what is searched for into a field of its own")
    case .vector:
      ("its elements have no single value", "copy what is searched for into a vector of its own, and index that")
    case .table, .scalar, .enumeration, .string, .union:
      ("a table has no single value", "index a field in the table instead")
    }
  }

  /// The reason why a struct cannot be indexed, and what to do instead.
  private static let obstacleInStruct = (
    reason: "a struct has no single value, unless it is one array of `ubyte`",
    advice: "index a field in the struct instead"
  )

  private mutating func reportIndex(
    _ attribute: Attribute, _ name: String, _ reason: String, _ advice: String, _ declaration: Declaration
  ) {
    report(
      .cannotIndex, "`\(name)` cannot be indexed: \(reason)", at: attribute.range,
      advice: "remove `\(attribute.name)`, or", labels: declaration.typeRange.map { [.init($0, advice)] } ?? [],
      notes: [
        "only numbers, bools, enums, strings, structs of one array of `ubyte`, vectors of these, and union types can be indexed"
      ], fixes: attribute.removalFixes)
  }

  private mutating func reportUniqueElements(_ attribute: Attribute, _ name: String, _ declaration: Declaration) {
    let isIndexed = declaration.has("indexed")
    // Folding is refused for itself if there is nothing to fold.
    let index = attribute.asksForFolding ? "indexed: \"\(Attribute.folded)\"" : "indexed"
    report(
      .cannotIndex, "`\(name)` cannot be unique: one element may stand in several objects", at: attribute.range,
      advice: isIndexed ? "remove `unique`" : "write `\(index)`",
      labels: declaration.typeRange.map { [.init($0, "")] } ?? [],
      notes: ["an index of a vector finds all objects that have an element"],
      fixes: isIndexed ? attribute.removalFixes : [.replace(attribute.range, with: index)] + attribute.removalFixes)
  }

  private mutating func reportFolding(_ attribute: Attribute, _ name: String, _ declaration: Declaration) {
    report(
      .cannotIndex, "`\(name)` has no text to fold", at: attribute.range, advice: "write `\(attribute.name)` alone",
      labels: declaration.typeRange.map { [.init($0, "")] } ?? [],
      notes: [
        "a folded index is on a string or a vector of strings, without `uuid`, `url` or `swift_type`"
      ],
      fixes: [.replace(attribute.range, with: attribute.name)])
  }

  /// Checks the indexes of a struct's fields.
  mutating func checkIndexes(in definition: StructDefinition) {
    for field in definition.fields {
      for attribute in field.declaration.indexAttributes {
        switch field.type {
        case _ where field.isSingleValue:
          if attribute.asksForFolding { reportFolding(attribute, field.name, field.declaration) }
        case .scalar, .enumeration: break
        case .structure:
          let (reason, advice) = Self.obstacleInStruct
          reportIndex(attribute, field.name, reason, advice, field.declaration)
        case .array:
          reportIndex(
            attribute, field.name, "an array has no single value", "index a scalar field or a table's vector instead",
            field.declaration)
        }
      }
    }
  }
}
