import FBSSchema
import FlatBuffersJSON

/// A root table of a schema as a store keeps it: its table, its primary key, and its indexes.
public struct StoredType: Sendable {
  /// An index.
  public struct Index: Sendable {
    /// The name on disk, such as `f4__f8` or `f6__elements`.
    public let key: String
    /// The path of the field, such as `place.x`.
    public let name: String
    /// The path to the field.
    public let path: FieldPath
    /// The kind of the index: which entries it has, and whether it is unique.
    public let kind: IndexKind
    /// Whether the entries are the bytes of structs.
    let areBytes: Bool

    /// The column of the index's SQLite table that has the number of the object's row.
    var rowColumn: String { kind.entries.areElements ? "row" : "rowid" }

    /// The column of an index of elements that has the position among the row's entries.
    static let positionColumn = "position"

    /// The columns of the index's SQLite table.
    var columns: [String] {
      [rowColumn] + (kind.entries.areElements ? [Self.positionColumn] : []) + [key]
    }
  }

  /// The ID of the root table.
  public let table: TableID
  /// The name, as schemas write it.
  public let name: String
  /// The SQLite table.
  public let sqlName: String
  /// The fields of the primary key.
  public let primaryKey: [(name: String, path: FieldPath)]
  /// The indexes, in the order of their fields.
  public let indexes: [Index]

  /// Returns the name of an index's SQLite table.
  public func tableName(of index: Index) -> String { sqlName + "__" + index.key }

  /// The columns of the table.
  var columns: [String] { ["rowid", "p"] + primaryKey.indices.map { "__pk\($0)" } }

  /// Returns the types that a store of a schema has: tables with a primary key.
  static func all(in layouts: SchemaLayouts) -> [StoredType] {
    let reach = IndexReach(layouts.schema)
    return layouts.schema.tables.indices.compactMap { index in
      let definition = layouts.schema.tables[index]
      return definition.primaryKey.isEmpty ? nil : StoredType(TableID(index), layouts, reach)
    }
  }

  init(_ table: TableID, _ layouts: SchemaLayouts) { self.init(table, layouts, IndexReach(layouts.schema)) }

  private init(_ table: TableID, _ layouts: SchemaLayouts, _ reach: IndexReach) {
    let definition = layouts.schema[table]
    self.table = table
    name = definition.name.description
    sqlName = StoreNames.tableName(for: definition)
    primaryKey = definition.primaryKey.compactMap { field in
      layouts[table].member(named: field.name).map { (field.name, FieldPath([.field(table, $0)])) }
    }
    indexes = IndexedField.all(of: table, in: layouts.schema, reach).compactMap { Index($0, layouts) }
  }
}

extension StoredType.Index {
  /// Creates the index of an indexed field.
  ///
  /// - Returns: nil if the layouts lack a field of the path.
  fileprivate init?(_ indexed: IndexedField, _ layouts: SchemaLayouts) {
    let schema = layouts.schema
    var (keys, names): ([String], [String]) = ([], [])
    var path: [FieldPath.Step] = []
    var areBytes = false
    for (number, step) in indexed.steps.enumerated() {
      switch step {
      case .field(let id, let index), .member(let id, let index, _):
        let field = schema[id].fields[index]
        guard let member = layouts[id].member(named: field.name) else { return nil }
        areBytes = field.byteCount != nil
        path.append(.field(id, member))
        keys.append("f\(field.vtableOffset)")
        names.append(field.name)
        guard case .union(let union) = field.type else { continue }
        if case .member(_, _, let member) = step {
          path.append(.member(union, member))
          keys.append("u\(schema[union].members[member].codeText)")
          names.append(schema[union].members[member].name)
        } else if number == indexed.steps.count - 1 {
          keys.append("type")
        }
      case .structField(let id, let index):
        path.append(.inline(id, index))
        areBytes = schema[id].fields[index].byteCount != nil
        keys.append("f\(schema[id].fields[index].offset)")
        names.append(schema[id].fields[index].name)
      }
    }
    self.init(
      key: keys.joined(separator: "__") + indexed.index.entries.keySuffix, name: names.joined(separator: "."),
      path: FieldPath(path), kind: indexed.index, areBytes: areBytes)
  }
}
