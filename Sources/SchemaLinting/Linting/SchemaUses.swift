import FBSDiagnostics
import FBSSchema

/// The uses of a schema's files by one another.
struct SchemaUses {
  private let schema: Schema
  private let sources: SourceMap
  /// The enums by the last part of their names: defaults of numbers name enums by text.
  private var enumsByName: [String: [EnumID]] = [:]
  /// For each file, by index, the files whose types or attributes it uses.
  private(set) var filesUsed: [Set<FileID>]

  /// Finds the uses of types and attributes in a schema.
  /// - Parameter sources: the texts of the schema's files.
  init(_ schema: Schema, _ sources: SourceMap) {
    self.schema = schema
    self.sources = sources
    filesUsed = Array(repeating: [], count: schema.files.count)
    for (index, definition) in schema.enums.enumerated() {
      enumsByName[definition.name.name, default: []].append(EnumID(index))
    }
    var declaring: [String: [FileID]] = [:]
    for file in schema.files {
      for attribute in file.declaredAttributes { declaring[attribute, default: []].append(file.id) }
    }
    for file in schema.files {
      var used: Set<FileID> = []
      func use(_ type: DefinitionID) { used.insert(schema.declaration(of: type).nameRange.file) }
      for definition in file.definitions { types(usedBy: definition).forEach(use) }
      for id in file.services {
        for method in schema[id].methods {
          use(.table(method.request))
          use(.table(method.response))
        }
      }
      if let root = file.rootTable { use(.table(root)) }
      if !declaring.isEmpty {
        for attribute in attributes(of: file) { used.formUnion(declaring[attribute.name] ?? []) }
      }
      used.remove(file.id)
      filesUsed[file.id.index] = used
    }
  }

  /// Returns the types that a definition names, also in deprecated fields, in attributes and in defaults.
  func types(usedBy definition: DefinitionID) -> [DefinitionID] {
    switch definition {
    case .enumeration: return []
    case .structure(let id): return schema[id].fields.compactMap(\.type.definition)
    case .union(let id): return schema[id].members.compactMap(\.type.definition)
    case .table(let id):
      return schema[id].fields.flatMap { field -> [DefinitionID] in
        let types = [field.type.definition, field.nestedType].compactMap { $0 }
        return types + enumsNamed(byDefaultOf: field).map { DefinitionID.enumeration($0) }
      }
    }
  }

  /// Returns the enums whose values are the default of a number, as in `"Color.Red Color.Blue"`. Several namespaces may
  /// have an enum of that name: one use too many is better than one too few.
  private func enumsNamed(byDefaultOf field: FieldDefinition) -> [EnumID] {
    guard !enumsByName.isEmpty, case .scalar(let type) = field.type, type.isInteger,
      let range = field.declaration.valueRange
    else { return [] }
    let text = sources[range.file].bytes[range.start..<range.end]
    guard let first = text.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") else { return [] }
    return text.dropFirst().dropLast().split(separator: UInt8(ascii: " ")).flatMap { word in
      enumsByName[String(decoding: word.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)] ?? []
    }
  }

  /// Returns all attributes in a file.
  private func attributes(of file: SchemaFile) -> [Attribute] {
    file.definitions.flatMap { definition -> [Attribute] in
      let own = schema.declaration(of: definition).attributes
      switch definition {
      case .enumeration(let id): return own + schema[id].names.flatMap(\.declaration.attributes)
      case .structure(let id): return own + schema[id].fields.flatMap(\.declaration.attributes)
      case .table(let id): return own + schema[id].fields.flatMap(\.declaration.attributes)
      case .union(let id): return own + schema[id].members.flatMap(\.declaration.attributes)
      }
    }
      + file.services.flatMap { id in
        schema[id].declaration.attributes + schema[id].methods.flatMap(\.declaration.attributes)
      }
  }

  /// Returns the given types, and all that they name, directly or indirectly.
  func types(reachedFrom starts: [DefinitionID]) -> Set<DefinitionID> {
    var known = Set(starts)
    var queue = starts
    while let type = queue.popLast() {
      for inner in types(usedBy: type) where known.insert(inner).inserted { queue.append(inner) }
    }
    return known
  }

  /// Returns the given files, and all that include one of them, directly or indirectly.
  func filesReaching(_ targets: Set<FileID>, includers: [[FileID]]) -> Set<FileID> {
    var known = targets
    var queue = Array(targets)
    while let file = queue.popLast() {
      for includer in includers[file.index] where known.insert(includer).inserted { queue.append(includer) }
    }
    return known
  }

  /// Returns the given files, and all that they include, directly or indirectly.
  /// - Parameter left: the includes to ignore.
  func filesReached(from starts: Set<FileID>, without left: Set<SchemaFile.Inclusion> = []) -> Set<FileID> {
    var known = starts
    var queue = Array(starts)
    while let file = queue.popLast() {
      for inclusion in schema[file].inclusions where !left.contains(inclusion) {
        if known.insert(inclusion.file).inserted { queue.append(inclusion.file) }
      }
    }
    return known
  }

  /// For each file, by index, the files that include it.
  var includers: [[FileID]] {
    var includers = Array(repeating: [FileID](), count: schema.files.count)
    for file in schema.files {
      for included in file.includes { includers[included.index].append(file.id) }
    }
    return includers
  }
}
