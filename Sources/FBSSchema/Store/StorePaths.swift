import FBSDiagnostics
import FBSParser

// The paths from root tables to indexed fields.

extension StoreRules {
  /// A table or struct on a path.
  private enum Node: Hashable {
    case table(TableID)
    case structure(StructID)
  }

  /// A field that leads from one node to another.
  private struct Edge {
    let from: Node
    let to: Node
    let range: SourceRange
  }

  /// Checks that finitely many ways lead to each indexed field, since each way is an index of its own, and warns of
  /// indexed fields that no root reaches.
  mutating func checkPaths(from roots: [TableID], _ chosen: Set<FileID>) {
    var reached: Set<Node> = []
    var queue: [Node] = []
    for root in roots where reached.insert(.table(root)).inserted { queue.append(.table(root)) }
    var next = 0
    var incoming: [Node: [Edge]] = [:]
    while next < queue.count {
      let node = queue[next]
      next += 1
      for edge in edges(from: node) {
        incoming[edge.to, default: []].append(edge)
        if reached.insert(edge.to).inserted { queue.append(edge.to) }
      }
    }
    let (cyclic, sorted) = sortNodes(queue)
    for node in queue { checkRecursion(node, incoming, cyclic) }
    checkCount(sorted, roots)
    reportUnreached(reached, chosen)
  }

  private func edges(from node: Node) -> [Edge] {
    switch node {
    case .table(let id):
      return schema[id].fields.filter { !$0.isDeprecated }.flatMap { field -> [Edge] in
        let range = field.declaration.nameRange
        switch field.type {
        case .table(let inner): return [Edge(from: node, to: .table(inner), range: range)]
        case .structure(let inner): return [Edge(from: node, to: .structure(inner), range: range)]
        case .union(let union):
          return schema[union].members.compactMap { member in
            switch member.type {
            case .table(let inner): Edge(from: node, to: .table(inner), range: range)
            case .structure(let inner): Edge(from: node, to: .structure(inner), range: range)
            case .string: nil
            }
          }
        case .scalar, .enumeration, .string, .vector: return []
        }
      }
    case .structure(let id):
      return schema[id].fields.compactMap { field in
        guard case .structure(let inner) = field.type else { return nil }
        return Edge(from: node, to: .structure(inner), range: field.declaration.nameRange)
      }
    }
  }

  /// Returns the nodes that lie on a cycle or behind one, and the other nodes, each after all that lead to it. Nodes
  /// without incoming edges are removed until only the cyclic ones remain.
  private func sortNodes(_ nodes: [Node]) -> (cyclic: Set<Node>, sorted: [Node]) {
    var degree: [Node: Int] = [:]
    for node in nodes { for edge in edges(from: node) { degree[edge.to, default: 0] += 1 } }
    var sorted = nodes.filter { degree[$0, default: 0] == 0 }
    var next = 0
    while next < sorted.count {
      for edge in edges(from: sorted[next]) {
        degree[edge.to, default: 0] -= 1
        if degree[edge.to] == 0 { sorted.append(edge.to) }
      }
      next += 1
    }
    return (Set(nodes).subtracting(sorted), sorted)
  }

  /// Limits the number of ways to indexed fields: each is an index table, and every table that refers to another one
  /// twice doubles the ways.
  private mutating func checkCount(_ sorted: [Node], _ roots: [TableID]) {
    var ways: [Node: Int] = [:]
    var depths: [Node: Int] = [:]
    let known = diagnostics.count
    for root in roots { ways[.table(root), default: 0] += 1 }
    for node in sorted {
      let count = ways[node, default: 0]
      let depth = depths[node, default: 0]
      let reason =
        if depth > Self.maximumDepth {
          "it is more than \(Self.maximumDepth) tables and structs deep"
        } else if count > Self.maximumWays {
          "more than \(Self.maximumWays) ways lead to it"
        } else { nil as String? }
      if let reason {
        for (name, declaration) in declarations(of: node) { refuseIndexes(name, declaration, reason) }
      }
      // The count is capped far beyond the limit, since it must not overflow.
      for edge in edges(from: node) {
        ways[edge.to] = min(ways[edge.to, default: 0] + count, Self.countless)
        depths[edge.to] = max(depths[edge.to, default: 0], depth + 1)
      }
    }
    // If the ways to a field are too many, so are the indexes of the root.
    if diagnostics.count == known { checkTotals(sorted, roots) }
  }

  private mutating func refuseIndexes(_ name: String, _ declaration: Declaration, _ reason: String) {
    for attribute in declaration.indexAttributes {
      diagnostics.append(
        Diagnostic(
          .tooLarge, .error, "`\(name)` cannot be indexed: \(reason)", at: attribute.range,
          advice: "remove `\(attribute.name)`",
          notes: ["every way from the root to an indexed field is an index of its own"], fixes: attribute.removalFixes))
    }
  }

  /// Limits the number of indexes of a root: few ways to each of many fields are still many indexes.
  private mutating func checkTotals(_ sorted: [Node], _ roots: [TableID]) {
    var totals: [Node: Int] = [:]
    for node in sorted.reversed() {
      var total = indexCount(of: node)
      for edge in edges(from: node) { total = min(total + totals[edge.to, default: 0], Self.countless) }
      totals[node] = total
    }
    for root in roots {
      guard totals[.table(root), default: 0] > Self.maximumIndexes else { continue }
      diagnostics.append(
        Diagnostic(
          .tooLarge, .error, "`\(schema[root].name)` would have more than \(Self.maximumIndexes) indexes",
          at: schema[root].declaration.nameRange, advice: "index fewer of the fields that it reaches",
          notes: ["every way from the root to an indexed field is an index of its own"]))
    }
  }

  /// The most ways from the root tables to a table or struct with an indexed field. Each way is an index of its own.
  private static let maximumWays = 1_000

  /// The most indexes that one root table may have.
  private static let maximumIndexes = 100_000

  /// The most tables and structs around an indexed field: a verifier goes no deeper into a buffer.
  private static let maximumDepth = 64

  /// The number at which the counts of ways and of indexes stop growing, so that they cannot overflow: beyond every
  /// limit.
  private static let countless = 1 << 32

  private func declarations(of node: Node) -> [(name: String, Declaration)] {
    switch node {
    case .table(let id): schema[id].fields.map { ($0.name, $0.declaration) }
    case .structure(let id): schema[id].fields.map { ($0.name, $0.declaration) }
    }
  }

  private func indexCount(of node: Node) -> Int {
    switch node {
    case .table(let id):
      let table = schema[id]
      return table.fields.reduce(0) { $0 + table.indexes(of: $1).count }
    case .structure(let id):
      return schema[id].fields.reduce(0) { $0 + $1.indexes.count }
    }
  }

  private mutating func checkRecursion(_ node: Node, _ incoming: [Node: [Edge]], _ cyclic: Set<Node>) {
    guard cyclic.contains(node) else { return }
    if case .structure = node, hasEndlessStruct { return }
    let back = incoming[node]?.first { cyclic.contains($0.from) }
    for (name, declaration) in declarations(of: node) {
      for attribute in declaration.indexAttributes {
        diagnostics.append(
          Diagnostic(
            .recursiveIndex, .error, "`\(name)` cannot be indexed: there is no end to the ways that lead to it",
            at: attribute.range, advice: "remove `\(attribute.name)`, or break the circle",
            labels: back.map { [.init($0.range, "this leads back into the circle")] } ?? [],
            notes: ["every way from the root to an indexed field is an index of its own"],
            fixes: attribute.removalFixes))
      }
    }
  }

  private mutating func reportUnreached(_ reached: Set<Node>, _ chosen: Set<FileID>) {
    func check(_ declaration: Declaration, _ type: QualifiedName) -> [Diagnostic] {
      declaration.indexAttributes.map { attribute in
        Diagnostic(
          .idleAttribute, .warning, "`\(attribute.name)` does nothing here: no root type reaches `\(type)`",
          at: attribute.range,
          advice: "remove it",
          notes: ["indexes reach through tables, structs and unions, and not into the elements of vectors"],
          fixes: attribute.removalFixes)
      }
    }
    // Without any root, another file decides whether a type is reached. And an error may hide the way.
    guard !reached.isEmpty, isComplete else { return }
    for (index, table) in schema.tables.enumerated()
    where !reached.contains(.table(TableID(index))) && chosen.contains(table.declaration.nameRange.file) {
      for field in table.fields { diagnostics.append(contentsOf: check(field.declaration, table.name)) }
    }
    for (index, definition) in schema.structs.enumerated()
    where !reached.contains(.structure(StructID(index))) && chosen.contains(definition.declaration.nameRange.file) {
      for field in definition.fields { diagnostics.append(contentsOf: check(field.declaration, definition.name)) }
    }
  }
}
