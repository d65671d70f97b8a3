import FBSSchema
import FlatBuffersJSON

/// A root table of a schema, as a store keeps it: its table, its primary key, and its indexes.
public struct StoredType: Sendable {
  /// An index.
  public struct Index: Sendable {
    /// The name on disk, such as `f4__f8`.
    public let key: String
    /// The field, as `place.x`.
    public let name: String
    /// The way to the field.
    public let path: FieldPath
    /// Whether no two rows may have the same value.
    public let isUnique: Bool
  }

  /// The table.
  public let table: TableID
  /// The name, as schemas write it.
  public let name: String
  /// The SQLite table.
  public let sqlName: String
  /// The fields of the primary key.
  public let primaryKey: [(name: String, path: FieldPath)]
  /// The indexes, in the order of their fields.
  public let indexes: [Index]

  /// The SQLite table of an index.
  public func tableName(of index: Index) -> String { sqlName + "__" + index.key }

  /// The columns of the table.
  var columns: [String] { ["rowid", "p"] + primaryKey.indices.map { "__pk\($0)" } }

  /// The types that a store of a schema has: tables with a primary key.
  static func all(in layouts: SchemaLayouts) -> [StoredType] {
    layouts.schema.tables.indices.compactMap { index in
      let definition = layouts.schema.tables[index]
      return definition.primaryKey.isEmpty ? nil : StoredType(TableID(index), layouts)
    }
  }

  init(_ table: TableID, _ layouts: SchemaLayouts) {
    let definition = layouts.schema[table]
    self.table = table
    name = definition.name.description
    sqlName = StoreNames.tableName(for: definition)
    primaryKey = definition.primaryKey.compactMap { field in
      layouts[table].member(named: field.name).map { (field.name, FieldPath([.field(table, $0)])) }
    }
    var finder = IndexFinder(layouts: layouts)
    finder.visit(table, prefix: "", name: "", path: [], depth: 0)
    indexes = finder.indexes
  }
}

/// Finds the indexes of a table: the fields that are indexed, and those of the tables, structs and unions that it leads to.
private struct IndexFinder {
  /// Validated schemas have no more.
  private static let maximumDepth = 64
  private static let maximumCount = 20_000

  let layouts: SchemaLayouts
  var indexes: [StoredType.Index] = []
  private var visits = 0

  init(layouts: SchemaLayouts) { self.layouts = layouts }

  mutating func visit(_ id: TableID, prefix: String, name: String, path: [FieldPath.Step], depth: Int) {
    visits += 1
    guard depth < Self.maximumDepth, visits < Self.maximumCount else { return }
    for field in layouts.schema[id].fields where !field.isDeprecated {
      guard let member = layouts[id].member(named: field.name) else { continue }
      let key = prefix + "f\(field.vtableOffset)"
      let inner = path + [.field(id, member)]
      let innerName = name + field.name
      if let index = field.index, !field.isPrimary || depth > 0 {
        let isUnion = if case .union = field.type { true } else { false }
        indexes.append(
          .init(
            key: isUnion ? key + "__type" : key, name: innerName, path: FieldPath(inner), isUnique: index == .unique))
      }
      switch field.type {
      case .table(let table): visit(table, prefix: key + "__", name: innerName + ".", path: inner, depth: depth + 1)
      case .structure(let structure):
        visit(structure, prefix: key + "__", name: innerName + ".", path: inner, depth: depth + 1)
      case .union(let union):
        for (index, definition) in layouts.schema[union].members.enumerated() {
          let prefix = key + "__u\(definition.codeText)__"
          let place = inner + [.member(union, index)]
          let name = innerName + "." + definition.name + "."
          switch definition.type {
          case .table(let table): visit(table, prefix: prefix, name: name, path: place, depth: depth + 1)
          case .structure(let structure): visit(structure, prefix: prefix, name: name, path: place, depth: depth + 1)
          case .string: break
          }
        }
      default: break
      }
    }
  }

  private mutating func visit(
    _ id: StructID, prefix: String, name: String, path: [FieldPath.Step], depth: Int
  ) {
    visits += 1
    guard depth < Self.maximumDepth, visits < Self.maximumCount else { return }
    for (index, field) in layouts.schema[id].fields.enumerated() {
      let key = prefix + "f\(field.offset)"
      let inner = path + [.inline(id, index)]
      let isUnique = field.declaration.has("unique")
      if isUnique || field.declaration.has("indexed") {
        indexes.append(.init(key: key, name: name + field.name, path: FieldPath(inner), isUnique: isUnique))
      }
      if case .structure(let structure) = field.type {
        visit(structure, prefix: key + "__", name: name + field.name + ".", path: inner, depth: depth + 1)
      }
    }
  }
}
