import FBSDiagnostics
import FBSParser
import FBSSchema

struct CompletionItem: Encodable, Hashable {
  var label: String
  var kind: CompletionKind
  var detail: String?
  var insertText: String?
}

/// The protocol's kinds of completions that schemas use.
enum CompletionKind: Int, Encodable {
  case `class` = 7
  case interface = 8
  case property = 10
  case value = 12
  case `enum` = 13
  case keyword = 14
  case file = 17
  case folder = 19
  case enumMember = 20
  case `struct` = 22
  case typeParameter = 25
}

/// The kinds of text that may be written at a position.
enum CompletionPlace: Equatable {
  case statement
  case includePath(typed: String)
  case tableType, structType, elementType, numberType, unionMember, table
  case defaultValue(type: String)
  case attribute(AttributePlace)
  case attributeValue(name: String)
  case nothing

  /// Whether names that schemas define may be written at this kind of place. Then the completions depend on the schema,
  /// not only on the text.
  var takesNames: Bool {
    switch self {
    case .tableType, .structType, .elementType, .unionMember, .table, .defaultValue, .attribute: true
    case .statement, .includePath, .numberType, .attributeValue, .nothing: false
    }
  }
}

extension LanguageServerSession {
  /// Returns the completions at a position. In a text with errors, names of its last valid version are offered as well.
  mutating func completion(_ params: DocumentPositionParams) throws -> [CompletionItem] {
    guard let context = try context(params.textDocument.uri) else { return [] }
    let offset = context.text.offset(of: params.position)
    let place = CompletionPlaceFinder(tree: context.tree, offset: offset).place
    if case .includePath(let typed) = place { return includePaths(typed, in: context) }
    let items = context.completions(at: place, offset: offset)
    guard !context.analysis.compilation.isValid, let valid = validAnalyses[context.uri],
      place.takesNames
    else { return items }
    let earlier = DocumentContext(uri: context.uri, text: context.text, analysis: valid, texts: context.texts)
    let labels = Set(items.map(\.label))
    return items + earlier.completions(at: place, offset: offset).filter { !labels.contains($0.label) }
  }

  /// Returns the folders and schemas with which an include path may continue.
  private func includePaths(_ typed: String, in context: DocumentContext) -> [CompletionItem] {
    let path = context.analysis.compilation.sources[context.file].path
    let typedFolder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    var items: [CompletionItem] = []
    var seen: Set<String> = []
    let own = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    for folder in [own] + includePaths(for: path) {
      for name in host.entries(of: folder + "/" + typedFolder) where !name.hasPrefix(".") && seen.insert(name).inserted
      {
        if name.hasSuffix("/") {
          items.append(CompletionItem(label: name, kind: .folder))
        } else if name.hasSuffix(".fbs"), folder + "/" + typedFolder + name != path {
          items.append(CompletionItem(label: name, kind: .file))
        }
      }
    }
    return items
  }
}

extension DocumentContext {
  func completions(at place: CompletionPlace, offset: Int) -> [CompletionItem] {
    switch place {
    case .nothing, .includePath: return []
    case .statement:
      return [
        "table", "struct", "enum", "union", "namespace", "include", "root_type", "attribute", "file_identifier",
        "file_extension", "rpc_service",
      ].map { CompletionItem(label: $0, kind: .keyword) }
    case .tableType: return builtins { _ in true } + types { _ in true }
    case .elementType: return builtins { _ in true } + types { _ in true }
    case .structType:
      return builtins { $0 != "string" }
        + types {
          switch $0 {
          case .structure, .enumeration: true
          case .table, .union: false
          }
        }
    case .numberType:
      return builtins { $0 != "string" && $0 != "bool" && !$0.hasPrefix("float") && !$0.hasPrefix("double") }
    case .unionMember:
      return [CompletionItem(label: "string", kind: .typeParameter)]
        + types {
          switch $0 {
          case .structure, .table: true
          case .enumeration, .union: false
          }
        }
    case .table: return types { if case .table = $0 { true } else { false } }
    case .defaultValue(let type): return defaults(of: type)
    case .attribute(let place):
      let declared = Set(schema.files.flatMap(\.declaredAttributes)).sorted()
      return place.attributes.map { name, takesString in
        CompletionItem(label: name, kind: .property, insertText: takesString || name == "id" ? "\(name): " : nil)
      } + declared.map { CompletionItem(label: $0, kind: .property, detail: "declared attribute") }
    case .attributeValue(let name): return values(ofAttribute: name, offset: offset)
    }
  }

  private func builtins(_ isWanted: (String) -> Bool) -> [CompletionItem] {
    Schema.builtinTypeNames.filter(isWanted).map { CompletionItem(label: $0, kind: .typeParameter) }
  }

  /// Returns types, by the shortest names that refer to them in the document's last namespace.
  private func types(_ isWanted: (DefinitionID) -> Bool) -> [CompletionItem] {
    let known = schema.definitionsByName
    let own = schema[file].namespaceParts.last?.namespace ?? []
    return known.filter { isWanted($0.value) }.map { name, id in
      let path = name.namespace + [name.name]
      let shortest = path.indices.reversed().first { start in
        schema.definition(named: Array(path[start...]), from: own, in: known) == id
      }
      let label = path[(shortest ?? 0)...].joined(separator: ".")
      let kind: CompletionKind =
        switch id {
        case .table: .class
        case .structure: .struct
        case .enumeration: .enum
        case .union: .interface
        }
      return CompletionItem(label: label, kind: kind, detail: name.description)
    }.sorted { $0.label < $1.label }
  }

  private func defaults(of type: String) -> [CompletionItem] {
    func values(_ names: [String]) -> [CompletionItem] { names.map { CompletionItem(label: $0, kind: .value) } }
    if type.hasPrefix("[") { return values(["[]"]) }
    switch type {
    case "bool": return values(["true", "false", "null"])
    case "string": return []
    case "float", "double", "float32", "float64": return values(["inf", "-inf", "nan", "null"])
    case _ where Schema.builtinTypeNames.contains(type): return values(["null"])
    default:
      let own = schema[file].namespaceParts.last?.namespace ?? []
      let path = type.split(separator: ".").map(String.init)
      guard case .enumeration(let id) = schema.definition(named: path, from: own, in: schema.definitionsByName) else {
        return []
      }
      return schema[id].names.map { CompletionItem(label: $0.name, kind: .enumMember, detail: "\($0.number)") }
        + values(["null"])
    }
  }

  private func values(ofAttribute name: String, offset: Int) -> [CompletionItem] {
    switch name {
    case "id":
      // The next id of the table at the position.
      let table = schema[file].definitions.lazy.compactMap { definition -> TableDefinition? in
        guard case .table(let id) = definition else { return nil }
        return schema[id]
      }.first { $0.range.start <= offset && offset <= $0.range.end }
      let given = table.map { $0.fields.filter { $0.declaration.has("id") } } ?? []
      let next = (given.map(\.id).max() ?? -1) + 1
      return [CompletionItem(label: "\(next)", kind: .value)]
    case "nested_flatbuffer":
      return types { if case .table = $0 { true } else { false } }.map { item in
        var item = item
        item.insertText = "\"\(item.label)\""
        return item
      }
    case "hash":
      return ["fnv1_16", "fnv1a_16", "fnv1_32", "fnv1a_32", "fnv1_64", "fnv1a_64"].map {
        CompletionItem(label: $0, kind: .value, insertText: "\"\($0)\"")
      }
    case "indexed", "unique":
      return [CompletionItem(label: "folded", kind: .value, insertText: "\"folded\"")]
    case "date", "duration":
      return ["s", "ms", "us", "ns"].map { CompletionItem(label: $0, kind: .value, insertText: "\"\($0)\"") }
    case "decimal":
      return ["0", "2", "3", "4"].map { CompletionItem(label: $0, kind: .value, insertText: "\"\($0)\"") }
    case "force_align":
      return ["1", "2", "4", "8", "16"].map { CompletionItem(label: $0, kind: .value) }
    default: return []
    }
  }
}
