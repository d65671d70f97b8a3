import FBSSchema

/// Emits the nested enums that stand for a schema's namespaces, for apps that do not declare them themselves.
///
/// Each is emitted once over all inputs of a run: with the first input that needs it.
struct NamespacesEmitter: Emitter {
  let name = "namespaces"
  let summary = "enums for the namespaces"
  let isDefault = false
  let needsStore = false

  func outputName(forStem stem: String) -> String { stem + "_namespaces_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter()
    writer.header(for: unit, imports: [])
    var declared: Set<[String]> = []
    for input in unit.schema.files where input.isInput {
      let needed = Self.namespaces(of: input, unit.names).filter { !declared.contains($0) }
      if input.id == unit.file.id {
        emit(needed, declared: declared, to: &writer)
        break
      }
      declared.formUnion(needed)
    }
    return writer.bytes
  }

  /// The namespaces that a file defines something in, as Swift spells them, each after those around it, in the order of the text.
  private static func namespaces(of file: SchemaFile, _ names: Namer) -> [[String]] {
    var found: [[String]] = []
    var seen: Set<[String]> = []
    for definition in file.definitions {
      let namespace = names.declared(definition).namespace
      for length in 1..<(namespace.count + 1) where seen.insert(Array(namespace.prefix(length))).inserted {
        found.append(Array(namespace.prefix(length)))
      }
    }
    return found
  }

  private func emit(_ namespaces: [[String]], declared: Set<[String]>, to writer: inout CodeWriter) {
    let children = Dictionary(grouping: namespaces) { $0.dropLast() }
    for namespace in namespaces {
      let parent = Array(namespace.dropLast())
      // One whose surroundings are emitted here too is emitted within them.
      guard parent.isEmpty || declared.contains(parent) else { continue }
      writer.declaration(in: parent) { emit(namespace, children, to: &$0) }
    }
  }

  private func emit(_ namespace: [String], _ children: [ArraySlice<String>: [[String]]], to writer: inout CodeWriter) {
    let head = "public enum \(namespace[namespace.count - 1])"
    guard let inner = children[namespace[...]] else {
      writer.line(head + " {}")
      return
    }
    writer.block(head) { writer in
      for (index, child) in inner.enumerated() {
        if index > 0 {
          writer.blank()
        }
        emit(child, children, to: &writer)
      }
    }
  }
}

extension Schema {
  /// The name of a definition.
  func name(of definition: DefinitionID) -> QualifiedName {
    switch definition {
    case .enumeration(let id): self[id].name
    case .structure(let id): self[id].name
    case .table(let id): self[id].name
    case .union(let id): self[id].name
    }
  }
}
