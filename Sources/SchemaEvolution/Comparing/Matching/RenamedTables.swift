import FBSSchema

/// Matches tables that no matched type holds, and that have another name in NEW, by their contents.
struct RenamedTables {
  let versions: VersionPair
  let matching: TypeMatching

  /// Matches tables that were renamed.
  /// - Parameter tables: tables of OLD. A table that is matched, or whose name NEW still has, is skipped.
  func match(_ tables: [TableID]) {
    let (old, new) = (versions.old.schema, versions.new.schema)
    let lost = tables.filter {
      matching.newOf[.table($0)] == nil && versions.newIndex.byName[old[$0].name] == nil
    }
    guard !lost.isEmpty else { return }
    let free = new.tables.indices.map { TableID($0) }.filter {
      matching.oldOf[.table($0)] == nil && versions.oldIndex.byName[new[$0].name] == nil
    }
    // A table that moved to another namespace keeps its name. A table that was renamed keeps its fields.
    match(lost, free) { $0.name.name }
    match(lost, free) { table in
      table.fields.sorted { $0.id < $1.id }.map { "\($0.name)|\($0.type.form)" }.joined(separator: ",")
    }
    match(lost, free) { table in
      table.fields.sorted { $0.id < $1.id }.map { "\($0.type.form)" }.joined(separator: ",")
    }
    // A table that was renamed and extended at once keeps its first field.
    match(lost, free) { table in table.fields.min { $0.id < $1.id }.map { "\($0.name)|\($0.type.form)" } ?? "" }
    matchMembers(Set(lost))
  }

  /// Matches tables that have nothing in common but their type code in a union. No table need hold the union.
  private func matchMembers(_ lost: Set<TableID>) {
    let (old, new) = (versions.old.schema, versions.new.schema)
    for union in old.unions {
      guard case .union(let same)? = versions.newIndex.byName[union.name] else { continue }
      for member in union.members {
        guard case .table(let before) = member.type, lost.contains(before),
          case .table(let after)? = new[same].members.first(where: { $0.code == member.code })?.type
        else { continue }
        let pair = TypePair(old: .table(before), new: .table(after))
        if matching.isFree(pair), versions.areVersionsOfOne(pair.old, pair.new) { matching.match(pair) }
      }
    }
  }

  /// Matches a table of either list with the table of the other that has the same trait, if it is unique in both lists.
  private func match(_ lost: [TableID], _ free: [TableID], by trait: (TableDefinition) -> String) {
    let (old, new) = (versions.old.schema, versions.new.schema)
    let free = Dictionary(grouping: free.filter { matching.oldOf[.table($0)] == nil }) { trait(new[$0]) }
    let lost = Dictionary(grouping: lost.filter { matching.newOf[.table($0)] == nil }) { trait(old[$0]) }
    let found = lost.compactMap { key, tables -> TypePair? in
      guard tables.count == 1, let others = free[key], others.count == 1 else { return nil }
      return TypePair(old: .table(tables[0]), new: .table(others[0]))
    }
    for pair in found.sorted(by: { $0.old.place < $1.old.place }) { matching.match(pair) }
  }
}
