import FBSSchema
import FlatBuffersCore

/// Writes the binary schema of one input.
package struct ReflectionWriter: ~Copyable {
  private let schema: Schema
  private let scope: SchemaScope
  private let file: SchemaFile
  private let index: ReflectionIndex
  private var builder = FlatBufferBuilder(initialCapacity: 64 * 1024)
  /// The offsets of types that are written already. Most fields have one of a few types, each of which is written once.
  private var types: [ReflectionType: Offset] = [:]

  package init(schema: Schema, file: SchemaFile) {
    self.schema = schema
    self.file = file
    scope = SchemaScope(schema, of: file)
    index = ReflectionIndex(schema, scope)
  }

  /// Returns the bytes of the whole file.
  package mutating func write() throws(FlatBufferError) -> [UInt8] {
    var objects: [Offset] = []
    for entry in index.objects {
      switch entry.id {
      case .structure(let id): objects.append(write(schema[id], entry.name, entry.file))
      case .table(let id): objects.append(write(schema[id], entry.name, entry.file))
      case .enumeration, .union: break
      }
    }
    var enums: [Offset] = []
    for (place, entry) in index.enums.enumerated() {
      switch entry.id {
      case .enumeration(let id): enums.append(write(schema[id], Int32(place), entry.name, entry.file))
      case .union(let id): enums.append(write(schema[id], Int32(place), entry.name, entry.file))
      case .structure, .table: break
      }
    }
    var services: [Offset] = []
    for entry in index.services { services.append(write(schema[entry.id], entry.name, entry.file, objects)) }
    let files = writeFiles()
    let objectVector = builder.create(vector: objects)
    let enumVector = builder.create(vector: enums)
    let serviceVector = builder.create(vector: services)
    let identifier = builder.create(file.fileIdentifier ?? "")
    let fileExtension = builder.create(file.fileExtension ?? "")
    builder.startTable(fieldCount: 8)
    builder.add(AdvancedFeatures(schema, scope).rawValue, default: 0, at: ReflectionSlot.Schema.advancedFeatures)
    builder.add(objectVector, at: ReflectionSlot.Schema.objects)
    builder.add(enumVector, at: ReflectionSlot.Schema.enums)
    builder.add(identifier, at: ReflectionSlot.Schema.fileIdentifier)
    builder.add(fileExtension, at: ReflectionSlot.Schema.fileExtension)
    if let root = file.rootTable {
      builder.add(objects[Int(index.place(of: .table(root)))], at: ReflectionSlot.Schema.rootTable)
    }
    builder.add(serviceVector, at: ReflectionSlot.Schema.services)
    builder.add(files, at: ReflectionSlot.Schema.files)
    let root = builder.endTable()
    try builder.finish(root, fileIdentifier: "BFBS")
    return builder.withFinishedBytes { Array($0) }
  }

  /// Writes the list of files. Each has the list of the files that it includes; all lists are in the order of the
  /// paths.
  private mutating func writeFiles() -> Offset {
    let files = scope.files.map { file in (path: "//" + scope.path(of: file), includes: file.includes) }
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    let offsets = files.map { file in
      let includes = file.includes.map { "//" + scope.path(of: schema[$0]) }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      let path = builder.createShared(file.path)
      let vector = shared(includes)
      builder.startTable(fieldCount: 2)
      builder.add(path, at: ReflectionSlot.File.path)
      builder.add(vector, at: ReflectionSlot.File.includes)
      return builder.endTable()
    }
    return builder.create(vector: offsets)
  }

  // MARK: Structs and tables

  private mutating func write(_ definition: StructDefinition, _ name: String, _ file: String) -> Offset {
    var fields: [(name: String, offset: Offset)] = []
    for (id, field) in definition.fields.enumerated() {
      let end = field.offset + field.type.size(in: schema)
      let next = id + 1 < definition.fields.count ? definition.fields[id + 1].offset : definition.size
      var own = ReflectionField(field.name, index.type(of: field.type, in: schema), field.declaration)
      own.id = UInt16(truncatingIfNeeded: id)
      // As in every binary schema, an offset that the format cannot hold is truncated.
      own.offset = UInt16(truncatingIfNeeded: field.offset)
      own.padding = UInt16(truncatingIfNeeded: next - end)
      own.isKey = field.declaration.has("key")
      fields.append((field.name, write(own)))
    }
    return writeObject(
      name, file, fields, definition.declaration, structLayout: (definition.size, definition.alignment))
  }

  private mutating func write(_ definition: TableDefinition, _ name: String, _ file: String) -> Offset {
    var fields: [(name: String, offset: Offset)] = []
    fields.reserveCapacity(definition.slotCount)
    for field in definition.fields {
      if let type = index.typeFieldType(of: field.type) {
        let hidden = ReflectionField(typeOf: field, type)
        fields.append((hidden.name, write(hidden)))
      }
      fields.append((field.name, write(ReflectionField(field, index.type(of: field.type, in: schema)))))
    }
    return writeObject(name, file, fields, definition.declaration, structLayout: nil)
  }

  private mutating func writeObject(
    _ name: String, _ file: String, _ fields: [(name: String, offset: Offset)], _ declaration: Declaration,
    structLayout: (size: Int, alignment: Int)?
  ) -> Offset {
    // Names are ASCII, so this is the order of their bytes.
    let fields = builder.create(vector: fields.sorted { $0.name < $1.name }.map(\.offset))
    let name = builder.create(name)
    let attributes = write(declaration.attributes)
    let documentation = write(documentation: declaration.documentation)
    let file = builder.createShared(file)
    builder.startTable(fieldCount: 8)
    builder.add(name, at: ReflectionSlot.Object.name)
    builder.add(fields, at: ReflectionSlot.Object.fields)
    builder.add(Int32(structLayout?.alignment ?? 1), default: 0, at: ReflectionSlot.Object.alignment)
    builder.add(Int32(structLayout?.size ?? 0), default: 0, at: ReflectionSlot.Object.size)
    builder.add(attributes, at: ReflectionSlot.Object.attributes)
    builder.add(documentation, at: ReflectionSlot.Object.documentation)
    builder.add(file, at: ReflectionSlot.Object.file)
    builder.add(structLayout != nil, default: false, at: ReflectionSlot.Object.isStruct)
    return builder.endTable()
  }

  private mutating func write(_ field: ReflectionField) -> Offset {
    let name = builder.create(field.name)
    let type = write(field.type)
    let attributes = write(field.attributes)
    let documentation = write(documentation: field.documentation)
    builder.startTable(fieldCount: 14)
    builder.add(field.defaultInteger, default: 0, at: ReflectionSlot.Field.defaultInteger)
    builder.add(field.defaultReal, default: 0, at: ReflectionSlot.Field.defaultReal)
    builder.add(name, at: ReflectionSlot.Field.name)
    builder.add(type, at: ReflectionSlot.Field.type)
    builder.add(attributes, at: ReflectionSlot.Field.attributes)
    builder.add(documentation, at: ReflectionSlot.Field.documentation)
    builder.add(field.id, default: 0, at: ReflectionSlot.Field.id)
    builder.add(field.offset, default: 0, at: ReflectionSlot.Field.offset)
    builder.add(field.padding, default: 0, at: ReflectionSlot.Field.padding)
    builder.add(field.isDeprecated, default: false, at: ReflectionSlot.Field.isDeprecated)
    builder.add(field.isRequired, default: false, at: ReflectionSlot.Field.isRequired)
    builder.add(field.isKey, default: false, at: ReflectionSlot.Field.isKey)
    builder.add(field.isOptional, default: false, at: ReflectionSlot.Field.isOptional)
    builder.add(field.hasWideOffset, default: false, at: ReflectionSlot.Field.hasWideOffset)
    return builder.endTable()
  }

  // MARK: Enums and unions

  private mutating func write(_ definition: EnumDefinition, _ place: Int32, _ name: String, _ file: String) -> Offset {
    let isUnsigned = definition.underlyingType == .uint64
    func key(_ value: EnumDefinition.Value) -> Int64 { isUnsigned ? value.number ^ .min : value.number }
    var values = definition.names.inOrder(of: key)
    // As in flatc, several names of one number stand in the order of the names.
    if !definition.aliases.isEmpty {
      values = definition.names.sorted { first, second in
        if key(first) != key(second) { return key(first) < key(second) }
        return first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
      }
    }
    let none = ReflectionType(.none)
    let offsets = values.map { writeValue($0.name, $0.number, none, $0.declaration) }
    let type = ReflectionType(ReflectionBaseType(definition.underlyingType), index: place)
    return writeEnum(name, file, offsets, type, definition.declaration, isUnion: false)
  }

  private mutating func write(_ definition: UnionDefinition, _ place: Int32, _ name: String, _ file: String) -> Offset {
    var offsets = [writeValue("NONE", 0, ReflectionType(.none), nil)]
    for member in definition.members.inOrder(of: { UInt64(bitPattern: $0.code) }) {
      offsets.append(writeValue(member.name, member.code, index.type(of: member.type), member.declaration))
    }
    let type = index.codeType(definition, place)
    return writeEnum(name, file, offsets, type, definition.declaration, isUnion: true)
  }

  private mutating func writeEnum(
    _ name: String, _ file: String, _ values: [Offset], _ type: ReflectionType, _ declaration: Declaration,
    isUnion: Bool
  ) -> Offset {
    let name = builder.create(name)
    let values = builder.create(vector: values)
    let type = write(type)
    let attributes = write(declaration.attributes)
    let documentation = write(documentation: declaration.documentation)
    let file = builder.createShared(file)
    builder.startTable(fieldCount: 7)
    builder.add(name, at: ReflectionSlot.Enum.name)
    builder.add(values, at: ReflectionSlot.Enum.values)
    builder.add(type, at: ReflectionSlot.Enum.underlyingType)
    builder.add(attributes, at: ReflectionSlot.Enum.attributes)
    builder.add(documentation, at: ReflectionSlot.Enum.documentation)
    builder.add(file, at: ReflectionSlot.Enum.file)
    builder.add(isUnion, default: false, at: ReflectionSlot.Enum.isUnion)
    return builder.endTable()
  }

  private mutating func writeValue(
    _ name: String, _ number: Int64, _ type: ReflectionType, _ declaration: Declaration?
  ) -> Offset {
    let name = builder.create(name)
    let type = write(type)
    let documentation = declaration.map { write(documentation: $0.documentation) } ?? .null
    let attributes = declaration.map { write($0.attributes) } ?? .null
    builder.startTable(fieldCount: 6)
    builder.add(number, default: 0, at: ReflectionSlot.Value.number)
    builder.add(name, at: ReflectionSlot.Value.name)
    builder.add(type, at: ReflectionSlot.Value.unionType)
    builder.add(documentation, at: ReflectionSlot.Value.documentation)
    builder.add(attributes, at: ReflectionSlot.Value.attributes)
    return builder.endTable()
  }

  // MARK: Services

  private mutating func write(
    _ service: ServiceDefinition, _ name: String, _ file: String, _ objects: [Offset]
  ) -> Offset {
    let calls = service.methods.map { method in
      let name = builder.create(method.name)
      let attributes = write(method.declaration.attributes)
      let documentation = write(documentation: method.declaration.documentation)
      builder.startTable(fieldCount: 5)
      builder.add(name, at: ReflectionSlot.Call.name)
      builder.add(objects[Int(index.place(of: .table(method.request)))], at: ReflectionSlot.Call.request)
      builder.add(objects[Int(index.place(of: .table(method.response)))], at: ReflectionSlot.Call.response)
      builder.add(attributes, at: ReflectionSlot.Call.attributes)
      builder.add(documentation, at: ReflectionSlot.Call.documentation)
      return builder.endTable()
    }
    let callVector = builder.create(vector: calls)
    let name = builder.create(name)
    let attributes = write(service.declaration.attributes)
    let documentation = write(documentation: service.declaration.documentation)
    let file = builder.createShared(file)
    builder.startTable(fieldCount: 5)
    builder.add(name, at: ReflectionSlot.Service.name)
    builder.add(callVector, at: ReflectionSlot.Service.calls)
    builder.add(attributes, at: ReflectionSlot.Service.attributes)
    builder.add(documentation, at: ReflectionSlot.Service.documentation)
    builder.add(file, at: ReflectionSlot.Service.file)
    return builder.endTable()
  }

  // MARK: Common parts

  private mutating func write(_ type: ReflectionType) -> Offset {
    if let known = types[type] { return known }
    builder.startTable(fieldCount: 6)
    builder.add(type.index, default: -1, at: ReflectionSlot.TypeInfo.index)
    builder.add(type.base.size, default: 4, at: ReflectionSlot.TypeInfo.baseSize)
    builder.add(type.elementSize, default: 0, at: ReflectionSlot.TypeInfo.elementSize)
    builder.add(type.fixedLength, default: 0, at: ReflectionSlot.TypeInfo.fixedLength)
    builder.add(type.base.rawValue, default: 0, at: ReflectionSlot.TypeInfo.base)
    builder.add(type.element.rawValue, default: 0, at: ReflectionSlot.TypeInfo.element)
    let offset = builder.endTable()
    types[type] = offset
    return offset
  }

  private mutating func write(_ attributes: [Attribute]) -> Offset {
    if attributes.isEmpty { return .null }
    return write(attributes.sortedByName().map { ($0.name, $0.value) })
  }

  private mutating func write(_ attributes: [(name: String, value: Attribute.Value?)]) -> Offset {
    if attributes.isEmpty { return .null }
    let offsets = attributes.map { attribute in
      let text =
        switch attribute.value {
        case nil: "0"
        case .integer(let number): String(number)
        case .string(let text): text
        }
      let key = builder.createShared(attribute.name)
      let value = builder.createShared(text)
      builder.startTable(fieldCount: 2)
      builder.add(key, at: ReflectionSlot.Attribute.key)
      builder.add(value, at: ReflectionSlot.Attribute.value)
      return builder.endTable()
    }
    return builder.create(vector: offsets)
  }

  /// Writes the lines of a doc comment. Without one, the field is absent, as in flatc.
  private mutating func write(documentation lines: [String]) -> Offset {
    lines.isEmpty ? .null : builder.create(vector: lines)
  }

  private mutating func shared(_ strings: [String]) -> Offset {
    let offsets = strings.map { builder.createShared($0) }
    return builder.create(vector: offsets)
  }
}

extension Array {
  /// Returns the elements in ascending order of their keys. Elements with equal keys keep their order, which `sorted`
  /// does not promise.
  fileprivate func inOrder<Key: Comparable>(of key: (Element) -> Key) -> [Element] {
    let keys = map(key)
    return indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { self[$0] }
  }
}
