import FBSDiagnostics
import FBSParser
import FBSSchema

struct Hover: Encodable {
  var contents: MarkupContent
  var range: TextRange
}

extension DocumentContext {
  /// Returns the description of the name at a position: its declaration, its comment, and facts that the text does not
  /// show, such as sizes. Returns nil if there is no name.
  func hover(at position: TextPosition) -> Hover? {
    guard let occurrence = names.occurrence(at: text.offset(of: position)) else { return nil }
    let declaration = schema.declaration(of: occurrence.symbol)
    var parts = ["```fbs\n\(declarationText(of: occurrence.symbol))\n```"]
    let comment = declaration.documentation.map { $0.hasPrefix(" ") ? String($0.dropFirst()) : $0 }
    if !comment.isEmpty { parts.append(comment.joined(separator: "\n")) }
    let facts = facts(of: occurrence.symbol)
    if !facts.isEmpty { parts.append(facts.map { "- \($0)" }.joined(separator: "\n")) }
    return Hover(
      contents: MarkupContent(value: parts.joined(separator: "\n\n")), range: text.range(occurrence.range))
  }

  private func declarationText(of symbol: NamedSymbol) -> String {
    let range = schema.declaration(of: symbol).nameRange
    let tree = analysis.trees[range.file.index]
    switch symbol {
    case .definition(let id):
      let name = schema.name(of: id).description
      switch id {
      case .table: return "table \(name)"
      case .structure: return "struct \(name)"
      case .enumeration(let id): return "enum \(name): \(schema[id].underlyingType.schemaName)"
      case .union: return "union \(name)"
      }
    case .service(let id): return "rpc_service \(schema[id].name)"
    case .field, .structField, .enumValue, .unionMember, .method:
      // As it was written, up to the comma or semicolon.
      let bytes = tree.source.bytes
      guard let token = tree.tokens.firstIndex(where: { Int($0.start) == range.start }) else {
        return schema.simpleName(of: symbol)
      }
      var last = tree.endOfEntry(from: token, hasBody: false)
      if last > token, tree.tokens[last].kind == .comma || tree.tokens[last].kind == .semicolon { last -= 1 }
      return String(decoding: bytes[range.start..<Int(tree.tokens[last].end)], as: UTF8.self)
    }
  }

  private func facts(of symbol: NamedSymbol) -> [String] {
    switch symbol {
    case .definition(.table(let id)): return facts(ofTable: id)
    case .definition(.structure(let id)):
      return ["\(schema[id].size) bytes, aligned to \(schema[id].alignment)"]
    case .definition(.enumeration(let id)):
      let definition = schema[id]
      return [
        "\(definition.underlyingType.size) bytes, \(definition.values.count) values"
          + (definition.isBitFlags ? ", a set of bits" : "")
      ]
    case .definition(.union(let id)):
      return ["type code of \(schema[id].underlyingType.size) bytes, \(schema[id].members.count) members"]
    case .service(let id): return ["\(schema[id].methods.count) methods"]
    case .field(let table, let index): return facts(of: schema[table].fields[index])
    case .structField(let id, let index): return ["byte offset \(schema[id].fields[index].offset)"]
    case .enumValue(let id, let index): return ["number \(number(schema[id].names[index], of: schema[id]))"]
    case .unionMember(let id, let index): return ["type code \(schema[id].members[index].codeText)"]
    case .method: return []
    }
  }

  private func number(_ value: EnumDefinition.Value, of definition: EnumDefinition) -> String {
    definition.underlyingType == .uint64 ? String(UInt64(bitPattern: value.number)) : String(value.number)
  }

  private func facts(ofTable id: TableID) -> [String] {
    let table = schema[id]
    var facts = ["\(table.fields.count) fields, \(table.slotCount) slots"]
    if schema.files.contains(where: { $0.rootTable == id }) {
      let key = table.primaryKey.map { "`\($0.name)`" }.joined(separator: ", ")
      facts.append(key.isEmpty ? "a root type" : "a root type, stored by its primary key \(key)")
      let indexed = table.fields.flatMap { field in
        table.indexes(of: field).map { "`\(field.name)`" + ($0.summary.isEmpty ? "" : " (\($0.summary))") }
      }
      if !indexed.isEmpty { facts.append("indexed: \(indexed.joined(separator: ", "))") }
    }
    return facts
  }

  private func facts(of field: FieldDefinition) -> [String] {
    var facts = ["id \(field.id), vtable offset \(field.vtableOffset)"]
    if case .union = field.type { facts.append("its type code has the id \(field.id - 1)") }
    if case .structure(let id) = field.type {
      facts.append("\(schema[id].size) bytes, aligned to \(schema[id].alignment)")
    }
    switch field.presence {
    case .defaulted(let value) where field.declaration.valueRange == nil: facts.append("default \(text(of: value))")
    case .optional: facts.append("absent unless it is set")
    case .required: facts.append("never absent")
    case .defaulted, .defaultedObject: break
    }
    if field.isDeprecated { facts.append("deprecated: its slot is kept, and no API shows it") }
    if field.isPrimary { facts.append("in the store: part of the primary key") }
    return facts + field.indexes.map { "in the store: " + text(of: $0) }
  }

  private func text(of index: IndexKind) -> String {
    switch index.entries {
    case .value: "indexed" + (index.isUnique ? ", and no two objects have the same value" : "")
    case .foldedText:
      "indexed without differences of case and diacritics"
        + (index.isUnique ? ", and no two objects have the same text but for these" : "")
    case .elements: "each element is indexed"
    case .foldedElements: "each element is indexed without differences of case and diacritics"
    }
  }

  private func text(of value: ScalarValue) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"
    }
  }
}
