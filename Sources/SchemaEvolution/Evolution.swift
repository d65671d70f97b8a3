import FBSDiagnostics
import FBSParser
import FBSSchema

/// Tells whether one version of a schema may replace another.
public enum SchemaEvolution {
  /// What changed between two versions and matters: all of it, each once, by place in NEW. A function of its arguments;
  /// the time that it takes grows with the size of the schemas.
  ///
  /// Comments that silence findings, and severities that a team has chosen, are not looked at: see `EvolutionReport`.
  public static func compare(old: SchemaVersion, new: SchemaVersion) -> [Finding] {
    var comparison = Comparison(old: old, new: new)
    comparison.run()
    return comparison.findings.sortedByPlace()
  }
}

extension Comparison {
  mutating func run() {
    let roots = matchRoots()
    // What is reached from roots that keep their name on disk is data to be read; what only others reach is left behind.
    let stable = roots.filter { !hasNewVersion($0) }
    let renewed = roots.filter { hasNewVersion($0) }
    renewedTables = Set(renewed.map(\.old))
    for root in stable { match(root.pair) }
    work()
    let oldRoots = old.schema.roots
    matchTables(oldRoots.isEmpty ? givenTables : tablesOfServices)
    work()
    for root in stable { compareStore(root) }
    compareAdditions(stable)
    reportRenewed(renewed)
    matchWaiting()
    reportRemovedTypes()
    checkCollisions()
    compareFiles(roots)
    // What no root leads to.
    evidence = .precaution
    matchTables(old.schema.tables.indices.map { TableID($0) })
    work()
    for id in oldIndex.ids where newOf[id] == nil { matchByName(id) }
    work()
    matchWaiting()
    reportRemovedTypesWithoutHolder()
  }

  /// The types that only deprecated fields hold.
  private mutating func matchWaiting() {
    evidence = .precaution
    // The list grows while it is worked off.
    var place = 0
    while place < waiting.count {
      let pair = waiting[place]
      place += 1
      if newOf[pair.old] == nil, oldOf[pair.new] == nil { match(pair) }
      work()
    }
    evidence = .data
  }

  private mutating func matchByName(_ id: DefinitionID) {
    guard !readAsOthers.contains(id), let same = newIndex.byName[old.schema.name(of: id)], oldOf[same] == nil else {
      return
    }
    let pair = Pair(old: id, new: same)
    if same.kind == id.kind {
      match(pair)
    } else {
      current = pair
      reportKind(id, same)
      current = nil
    }
  }

  /// The tables that the given files of OLD define.
  private var givenTables: [TableID] {
    old.schema.givenDefinitions.compactMap { if case .table(let id) = $0 { id } else { nil } }
  }

  /// The tables that services of OLD take and give.
  private var tablesOfServices: [TableID] {
    old.schema.services.flatMap { $0.methods.flatMap { [$0.request, $0.response] } }
  }

  /// Tables that stand for themselves: by name, and those that were renamed by what is in them.
  private mutating func matchTables(_ tables: [TableID]) {
    var seen: Set<TableID> = []
    let chosen = tables.filter { newOf[.table($0)] == nil && seen.insert($0).inserted }
    for id in chosen { matchByName(.table(id)) }
    // Those that are held by others are found by the ways that lead to them.
    work()
    let lost = chosen.filter { newOf[.table($0)] == nil && newIndex.byName[old.schema[$0].name] == nil }
    guard !lost.isEmpty else { return }
    let free = new.schema.tables.indices.map { TableID($0) }.filter {
      oldOf[.table($0)] == nil && oldIndex.byName[new.schema[$0].name] == nil
    }
    // A table that moved to another namespace keeps its name; one that was renamed keeps its fields.
    pair(lost, free) { table, _ in table.name.name }
    pair(lost, free) { table, _ in
      table.fields.sorted { $0.id < $1.id }.map { "\($0.name)|\($0.type.form)" }.joined(separator: ",")
    }
    pair(lost, free) { table, _ in
      table.fields.sorted { $0.id < $1.id }.map { "\($0.type.form)" }.joined(separator: ",")
    }
    // One that grew in the same version keeps its first field.
    pair(lost, free) { table, _ in table.fields.min { $0.id < $1.id }.map { "\($0.name)|\($0.type.form)" } ?? "" }
  }

  /// Matches those of two lists that have a trait that no other one of their list has.
  private mutating func pair(
    _ lost: [TableID], _ free: [TableID], by trait: (TableDefinition, Schema) -> String
  ) {
    let free = Dictionary(grouping: free.filter { oldOf[.table($0)] == nil }) { trait(new.schema[$0], new.schema) }
    let lost = Dictionary(grouping: lost.filter { newOf[.table($0)] == nil }) { trait(old.schema[$0], old.schema) }
    let found = lost.compactMap { key, tables -> Pair? in
      guard tables.count == 1, let others = free[key], others.count == 1 else { return nil }
      return Pair(old: .table(tables[0]), new: .table(others[0]))
    }
    for pair in found.sorted(by: { $0.old.place < $1.old.place }) { match(pair) }
  }

  // MARK: New versions

  /// Root tables with a new version: one finding each stands for what would have broken.
  private mutating func reportRenewed(_ renewed: [RootPair]) {
    guard !renewed.isEmpty else { return }
    let start = findings.count
    for root in renewed where newOf[root.pair.old] == nil && oldOf[root.pair.new] == nil { match(root.pair) }
    work()
    for root in renewed { compareStore(root) }
    let own = findings[start...]
    // What new code asks for stands as it is; what would harm stored objects is what the new version is for.
    let kept = own.filter { $0.rule.level == .source || $0.severity == .note }
    var breaking: [Pair: [Finding]] = [:]
    for (pair, range) in findingsOfPair {
      let harmful = findings[range].filter { $0.rule.level == .storage && $0.severity == .error }
      if !harmful.isEmpty { breaking[pair] = harmful }
    }
    let keys = own.filter { $0.rule == .primaryKey }
    findings.removeSubrange(start...)
    findings += kept
    for root in renewed {
      var changes = self.changes(behind: root.pair, breaking)
      let table = new.schema[root.new]
      changes += keys.filter { finding in
        finding.range == table.declaration.nameRange
          || table.fields.contains { field in
            field.declaration.nameRange.file == finding.range.file
              && (field.declaration.nameRange == finding.range
                || field.declaration.attributes.contains { $0.range == finding.range }
                || field.declaration.typeRange == finding.range)
          }
      }
      report(root, changes)
    }
  }

  /// The harmful findings of all that a root reaches.
  private func changes(behind root: Pair, _ breaking: [Pair: [Finding]]) -> [Finding] {
    guard !breaking.isEmpty else { return [] }
    var reached = [root]
    var known: Set<Pair> = [root]
    var next = 0
    var result: [Finding] = []
    while next < reached.count {
      let pair = reached[next]
      next += 1
      result += breaking[pair] ?? []
      for inner in uses[pair] ?? [] where known.insert(inner).inserted { reached.append(inner) }
    }
    return result
  }

  private mutating func report(_ root: RootPair, _ changes: [Finding]) {
    let (first, second) = (old.schema[root.old], new.schema[root.new])
    let range = second.declaration.attribute("v")?.range ?? second.declaration.nameRange
    let oldRange = first.declaration.attribute("v")?.range ?? first.declaration.nameRange
    guard !changes.isEmpty else {
      report(
        .tableRenamed, "the version of root table `\(second.name)` changed, and nothing that asks for it",
        harm: "the store looks for `\(storeName(second))`: objects in `\(storeName(first))` stay behind",
        advice: "put the version back", at: range, was: oldRange, "stored as `\(storeName(first))`",
        fix: first.version.flatMap { version in
          second.declaration.attribute("v").map {
            .init(title: "put the version back", range: $0.range, replacement: "v: \"\(version)\"")
          }
        })
      return
    }
    report(
      .versionRequired, "objects of `\(second.name)` start anew: its version changed, and with it what is stored",
      harm: "objects in `\(storeName(first))` stay there, and are not read as `\(storeName(second))`",
      advice: "have the app copy what it needs", at: range, was: oldRange, "stored as `\(storeName(first))`")
    findings[findings.count - 1].labels = changes.sortedByPlace().map {
      .init($0.range, "\($0.rule.id): \($0.message)")
    }
  }

  // MARK: Files

  private mutating func compareFiles(_ roots: [RootPair]) {
    var seen: Set<FileID> = []
    for root in roots where seen.insert(root.newFile.id).inserted { compareIdentifiers(root.oldFile, root.newFile) }
    let byName = Dictionary(
      old.schema.files.compactMap { file in old.names[file.id].map { ($0, file) } }
    ) { first, _ in first }
    for file in new.schema.files where file.isInput && !seen.contains(file.id) {
      guard let before = new.names[file.id].flatMap({ byName[$0] }) else { continue }
      compareIdentifiers(before, file)
    }
  }
}

extension DefinitionID {
  /// An order: that of the kinds, then of the text.
  var place: (Int, Int) {
    switch self {
    case .table(let id): (0, id.index)
    case .structure(let id): (1, id.index)
    case .enumeration(let id): (2, id.index)
    case .union(let id): (3, id.index)
    }
  }
}

extension Schema {
  /// Types, and all that objects of them hold, however deep.
  func contents(reachedFrom starts: [DefinitionID]) -> Set<DefinitionID> {
    var known = Set(starts)
    var queue = starts
    while let type = queue.popLast() {
      for inner in contents(of: type) where known.insert(inner).inserted { queue.append(inner) }
    }
    return known
  }

  /// The types that objects of a type hold. Deprecated fields hold what they held before.
  func contents(of id: DefinitionID) -> [DefinitionID] {
    switch id {
    case .table(let id): self[id].fields.compactMap { $0.isDeprecated ? nil : $0.type.definition }
    case .structure(let id): self[id].fields.compactMap(\.type.definition)
    case .union(let id): self[id].members.compactMap(\.type.definition)
    case .enumeration: []
    }
  }
}
