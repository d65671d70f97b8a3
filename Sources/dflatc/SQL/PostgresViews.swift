import FBSSchema
import FlatBuffersJSON
import PostgresLayout

/// Makes the PostgreSQL views of a schema's root types. A view has a column for each field that is not deprecated, and
/// for each indexed field of a table or struct within the object.
struct PostgresViews {
  private let schema: Schema
  private let layouts: SchemaLayouts
  private let tables: PostgresTables
  private let reach: IndexReach

  private init(_ schema: Schema) {
    self.schema = schema
    layouts = SchemaLayouts(schema)
    tables = PostgresTables(schema)
    reach = IndexReach(schema)
  }

  /// Returns the views, in the order of their names. A type whose view would have the name of another type's table has none.
  static func all(in schema: Schema) -> [PostgresView] {
    let views = PostgresViews(schema)
    let names = Set(PostgresTables.all(in: schema).map(\.name))
    return PostgresTables.roots(of: schema).map { views.view(of: $0) }
      .filter { !names.contains($0.name) }.sorted { $0.name < $1.name }
  }

  private func view(of id: TableID) -> PostgresView {
    // A field with two indexes is one column, and a vector is one by itself.
    var known: Set<[IndexedField.Step]> = []
    let indexed = IndexedField.all(of: id, in: schema, reach).filter {
      !$0.index.entries.areElements && known.insert($0.steps).inserted
    }
    var columns = layouts[id].members.filter { !$0.isDeprecated && !isCode($0, of: id) }.flatMap { member in
      self.columns(of: member, in: id, indexed.first { $0.steps == [.field(id, position(of: member, in: id))] })
    }
    columns += indexed.filter { $0.steps.count > 1 }.compactMap { column(of: $0) }
    return PostgresView(of: tables.layout(of: id), columns)
  }

  // MARK: Columns

  private func columns(
    of member: TableLayout.Member, in id: TableID, _ indexed: IndexedField?
  ) -> [PostgresView.Column] {
    if let indexed, case .number(let number) = member.type, let function = indexFunction(indexed, of: number) {
      return [PostgresView.Column(member.name, function)]
    }
    if let column = columnOfBytes([.field(id, position(of: member, in: id))], member.name) {
      return [column]
    }
    var builder = ViewLayoutBuilder(schema, layouts)
    let root = builder.layout.reserve()
    let field = builder.field(member, in: id, isColumn: true)
    builder.layout.define(root, [field])
    let column = PostgresView.Column(member.name, builder.layout, at: [member.name], as: kind(of: member.type))
    switch member.type {
    case .union:
      return [.init(member.name + "_type", builder.layout, at: [member.name + "_type"], as: .text), column]
    case .vector(of: .union):
      return [.init(member.name + "_type", builder.layout, at: [member.name + "_type"], as: .jsonb), column]
    default: return [column]
    }
  }

  /// Returns the function of an index that holds a number as the view shows it; nil for numbers that the view shows in
  /// another form.
  private func indexFunction(_ indexed: IndexedField, of number: NumberType) -> IndexFunction? {
    guard number.names == nil, number.scalar != .bool, !number.scalar.isFloatingPoint else { return nil }
    return tables.field(indexed).map { IndexFunction($0) }
  }

  /// Returns the column of an indexed field that belongs to an inner table or struct; nil if its layout is unknown.
  private func column(of indexed: IndexedField) -> PostgresView.Column? {
    var names: [String] = []
    var path: [String] = []
    var kind = PostgresView.ColumnKind.jsonb
    for step in indexed.steps {
      switch step {
      case .field(let id, let index):
        let field = schema[id].fields[index]
        var name = field.name
        guard let member = layouts[id].member(named: name) else { return nil }
        if case .union = field.type {
          name += "_type"
          kind = .text
        } else {
          kind = self.kind(of: layouts[id].members[member].type)
        }
        names.append(name)
        path.append(name)
      case .member(let id, let index, let number):
        let field = schema[id].fields[index]
        guard case .union(let union) = field.type else { return nil }
        names += [field.name, schema[union].members[number].name]
        path.append(field.name)
      case .structField(let id, let index):
        names.append(schema[id].fields[index].name)
        path.append(schema[id].fields[index].name)
        kind = self.kind(of: layouts[id].members[index].type)
      }
    }
    let name = names.joined(separator: ".")
    if let number = number(of: indexed), let function = indexFunction(indexed, of: number) {
      return PostgresView.Column(name, function)
    }
    if let column = columnOfBytes(indexed.steps, name) { return column }
    var builder = ViewLayoutBuilder(schema, layouts)
    builder.addWay(indexed.steps[...])
    return PostgresView.Column(name, builder.layout, at: path, as: kind)
  }

  /// Returns the column of a struct that is one array of bytes; nil for other fields, and for more bytes than a key holds unchanged.
  ///
  /// - Parameter steps: the path to the field.
  private func columnOfBytes(_ steps: [IndexedField.Step], _ name: String) -> PostgresView.Column? {
    let (byteCount, mapping): (Int?, ValueMapping?) =
      switch steps.last {
      case .field(let id, let index)?: (schema[id].fields[index].byteCount, schema[id].fields[index].mapping)
      case .structField(let id, let index)?: (schema[id].fields[index].byteCount, schema[id].fields[index].mapping)
      case .member?, nil: (nil, nil)
      }
    guard let byteCount, byteCount <= KeyForm.limit, let field = tables.field(at: steps) else { return nil }
    return PostgresView.Column(name, IndexFunction(field), isUUID: mapping == .uuid)
  }

  private func number(of indexed: IndexedField) -> NumberType? {
    switch indexed.steps.last {
    case .field(let id, let index)?:
      let member = layouts[id].member(named: schema[id].fields[index].name)
      return if let member, case .number(let number) = layouts[id].members[member].type { number } else { nil }
    case .structField(let id, let index)?:
      return if case .number(let number) = layouts[id].members[index].type { number } else { nil }
    case .member?, nil: return nil
    }
  }

  private func kind(of type: MemberType) -> PostgresView.ColumnKind {
    switch type {
    case .number(let number): kind(of: number)
    case .string: .text
    case .flexible: .bytea
    case .vector(of: .number(let number)) where number.isPlainByte: .bytea
    case .structure, .table, .union, .vector, .nested: .jsonb
    }
  }

  private func kind(of type: StructLayout.Member.MemberType) -> PostgresView.ColumnKind {
    if case .number(let number) = type { kind(of: number) } else { .jsonb }
  }

  private func kind(of number: NumberType) -> PostgresView.ColumnKind {
    number.names == nil ? PostgresView.ColumnKind(StoredField.Storage(number.scalar)) : .text
  }

  // MARK: Fields

  /// Returns whether the member is the hidden field with a union's type. It is shown with the union.
  private func isCode(_ member: TableLayout.Member, of id: TableID) -> Bool {
    !schema[id].fields.contains { $0.vtableOffset == member.slot }
  }

  private func position(of member: TableLayout.Member, in id: TableID) -> Int {
    schema[id].fields.firstIndex { $0.vtableOffset == member.slot } ?? 0
  }
}
