import FBSSchema

/// Finds which tables can hold others of their kind, directly or through other tables, and which fields must be stored
/// outside of their struct: it would be endless or large otherwise.
struct Recursion: Sendable {
  private let indirectFields: Set<FieldPlace>
  private let nestingTables: Set<TableID>
  private let deepTables: Set<TableID>

  private struct FieldPlace: Hashable {
    let table: TableID
    let id: Int
  }

  init(_ schema: Schema, roots: Set<TableID>) {
    let graph = Graph(schema: schema)
    let held = graph.edges { table, field in
      // A vector's elements are elsewhere, and a root is a class.
      if case .vector = field.type { return [] }
      return roots.contains(table) ? [] : graph.targets(of: field.type).filter { !graph.isTable($0, in: roots) }
    }
    let values = Components(held.map { $0.filter { !graph.isTable($0, in: roots) } })
    var indirect: Set<FieldPlace> = []
    for (index, table) in schema.tables.enumerated() where !roots.contains(TableID(index)) && values.isCyclic(index) {
      for field in table.fields where !field.isDeprecated && Self.isOptionalValue(field) {
        if graph.targets(of: field.type).contains(where: { values.isCyclic(from: index, to: $0) }) {
          indirect.insert(FieldPlace(table: TableID(index), id: field.id))
        }
      }
    }
    indirect.formUnion(Self.wideFields(schema, graph, values, roots: roots))
    indirectFields = indirect
    (nestingTables, deepTables) = Self.nesting(schema, graph)
  }

  /// Returns whether a field's value must be stored outside of the struct that has the field. Otherwise the struct
  /// would have no finite size, or be large.
  ///
  /// In a cycle, these are all the optional fields, so it does not matter which table of the cycle is written first.
  func isIndirect(_ field: FieldDefinition, of table: TableID) -> Bool {
    !indirectFields.isEmpty && indirectFields.contains(FieldPlace(table: table, id: field.id))
  }

  /// Returns whether objects of a table can be nested in each other without limit, or can contain or be within such
  /// objects. Their nesting depth has to be counted when they are written.
  func isNesting(_ table: TableID) -> Bool { nestingTables.contains(table) }

  /// Returns whether an object of a table can be nested too deep by itself, without an object around it. The answer
  /// depends on what the table holds, not on what holds the table: on the table's file and its includes alone.
  func canBeTooDeep(_ table: TableID) -> Bool { deepTables.contains(table) }

  /// Finds the fields whose values would make the structs that have them large. A struct contains all that it holds, so
  /// it doubles with each table on the path that holds the next one twice.
  private static func wideFields(
    _ schema: Schema, _ graph: Graph, _ values: Components, roots: Set<TableID>
  ) -> Set<FieldPlace> {
    var wide: Set<FieldPlace> = []
    // The number of structs within each node's value.
    var widths = [Int](repeating: 1, count: schema.tables.count + schema.unions.count)
    func width(of node: Int) -> Int { graph.isTable(node, in: roots) ? 1 : widths[node] }
    for node in values.nodesInOrder {
      guard node < schema.tables.count else {
        let members = schema.unions[node - schema.tables.count].members
        for case .table(let id) in members.map(\.type) { widths[node] = max(widths[node], width(of: id.index)) }
        continue
      }
      for field in schema.tables[node].fields where !field.isDeprecated {
        if case .vector = field.type { continue }
        for target in graph.targets(of: field.type) where !values.isCyclic(from: node, to: target) {
          if isOptionalValue(field), width(of: target) > maximumWidth {
            wide.insert(FieldPlace(table: TableID(node), id: field.id))
          } else {
            // `LargeTables` refuses tables that require each other too often.
            widths[node] = min(widths[node] + width(of: target), LargeTables.limit)
          }
        }
      }
    }
    return wide
  }

  /// The most structs that are stored within another one.
  private static let maximumWidth = 64

  private static func isOptionalValue(_ field: FieldDefinition) -> Bool {
    switch field.type {
    case .table: field.presence != .required
    case .union: true
    case .scalar, .enumeration, .string, .structure, .vector: false
    }
  }

  /// Finds the tables whose nesting depth has to be counted, and those of them whose own objects can be too deep.
  private static func nesting(
    _ schema: Schema, _ graph: Graph
  ) -> (counted: Set<TableID>, deep: Set<TableID>) {
    let edges = graph.edges { graph.targets(of: $1.type) }
    let components = Components(edges)
    let cyclic = edges.indices.filter(components.isCyclic)
    if cyclic.isEmpty { return ([], []) }
    var reverse = [[Int]](repeating: [], count: edges.count)
    for (source, targets) in edges.enumerated() {
      for target in targets { reverse[target].append(source) }
    }
    let holders = reached(from: cyclic, by: reverse)
    let touched = reached(from: cyclic, by: edges).union(holders)
    // The number of tables in the longest chain from each node that leads to no cycle.
    var depths = [Int](repeating: 0, count: edges.count)
    for node in components.nodesInOrder where !holders.contains(node) {
      depths[node] = edges[node].reduce(0) { max($0, depths[$1]) } + (node < schema.tables.count ? 1 : 0)
    }
    func tables(_ nodes: Set<Int>) -> Set<TableID> {
      Set(nodes.lazy.filter { $0 < schema.tables.count }.map { TableID($0) })
    }
    return (tables(touched), tables(touched.filter { holders.contains($0) || depths[$0] > maximumDepth }))
  }

  /// The greatest nesting depth of tables that can be written: `FlatBufferBuilder.maximumDepth` of the runtime.
  private static let maximumDepth = 64

  private static func reached(from starts: [Int], by edges: [[Int]]) -> Set<Int> {
    var found = Set(starts)
    var queue = starts
    while let node = queue.popLast() {
      for target in edges[node] where found.insert(target).inserted { queue.append(target) }
    }
    return found
  }

  /// Tables and unions as the nodes of a graph: tables first.
  private struct Graph {
    let schema: Schema

    func isTable(_ node: Int, in tables: Set<TableID>) -> Bool {
      node < schema.tables.count && tables.contains(TableID(node))
    }

    /// Returns the nodes that a field's value may be.
    func targets(of type: FieldType) -> [Int] {
      switch type {
      case .table(let id), .vector(of: .table(let id)): [id.index]
      case .union(let id), .vector(of: .union(let id)): [schema.tables.count + id.index]
      case .scalar, .enumeration, .string, .structure, .vector: []
      }
    }

    /// Returns the edges from each node. `edges` gives those of a table's fields.
    func edges(_ edges: (TableID, FieldDefinition) -> [Int]) -> [[Int]] {
      let tables = schema.tables.enumerated().map { index, table in
        table.fields.filter { !$0.isDeprecated }.flatMap { edges(TableID(index), $0) }
      }
      let unions = schema.unions.map { union in
        union.members.compactMap { member -> Int? in
          if case .table(let id) = member.type { return id.index }
          return nil
        }
      }
      return tables + unions
    }
  }
}
