import FBSSchema

/// The definitions of a scope in the order of a binary schema, and the index of each.
struct ReflectionIndex {
  /// A definition, with its full name and the path of its file.
  struct Entry<ID> {
    let id: ID
    let name: String
    let file: String
  }

  /// The structs and tables, by name.
  private(set) var objects: [Entry<DefinitionID>] = []
  /// The enums and unions, by name.
  private(set) var enums: [Entry<DefinitionID>] = []
  /// The services, by name.
  private(set) var services: [Entry<ServiceID>] = []
  private var places: [DefinitionID: Int32] = [:]

  init(_ schema: Schema, _ scope: SchemaScope) {
    for file in scope.files {
      let path = "//" + scope.path(of: file)
      for id in file.definitions {
        switch id {
        case .structure(let own): objects.append(.init(id: id, name: schema[own].name.description, file: path))
        case .table(let own): objects.append(.init(id: id, name: schema[own].name.description, file: path))
        case .enumeration(let own): enums.append(.init(id: id, name: schema[own].name.description, file: path))
        case .union(let own): enums.append(.init(id: id, name: schema[own].name.description, file: path))
        }
      }
      for id in file.services {
        services.append(.init(id: id, name: schema[id].name.description, file: path))
      }
    }
    // Names are ASCII, so this is the order of their bytes.
    objects.sort { $0.name < $1.name }
    enums.sort { $0.name < $1.name }
    services.sort { $0.name < $1.name }
    places.reserveCapacity(objects.count + enums.count)
    for (place, entry) in objects.enumerated() { places[entry.id] = Int32(place) }
    for (place, entry) in enums.enumerated() { places[entry.id] = Int32(place) }
  }

  /// Returns the index of a definition among the objects or the enums. A scope includes every definition that a file
  /// names, so that the index always exists.
  func place(of id: DefinitionID) -> Int32 { places[id] ?? -1 }

  func type(of type: FieldType, in schema: Schema) -> ReflectionType {
    switch type {
    case .scalar(let scalar): ReflectionType(ReflectionBaseType(scalar))
    case .enumeration(let id): enumType(id, in: schema)
    case .string: ReflectionType(.string)
    case .structure(let id): ReflectionType(.object, index: place(of: .structure(id)))
    case .table(let id): ReflectionType(.object, index: place(of: .table(id)))
    case .union(let id): ReflectionType(.union, index: place(of: .union(id)))
    case .vector(of: let element): vectorType(of: element, in: schema)
    }
  }

  private func vectorType(of element: ElementType, in schema: Schema) -> ReflectionType {
    switch element {
    case .scalar(let scalar): ReflectionType(of: ReflectionType(ReflectionBaseType(scalar)))
    case .enumeration(let id): ReflectionType(of: enumType(id, in: schema))
    case .string: ReflectionType(of: ReflectionType(.string))
    case .structure(let id):
      // `element_size` is the distance between two elements, as the format's documentation says. flatc writes the same
      // since version 2.0.8, but 4 for structs in arrays and in vectors with a 64-bit length.
      ReflectionType(
        of: ReflectionType(.object, index: place(of: .structure(id))), size: UInt32(schema[id].size))
    case .table(let id): ReflectionType(of: ReflectionType(.object, index: place(of: .table(id))))
    case .union(let id): ReflectionType(of: ReflectionType(.union, index: place(of: .union(id))))
    }
  }

  func type(of type: StructDefinition.FieldType, in schema: Schema) -> ReflectionType {
    switch type {
    case .scalar(let scalar): ReflectionType(ReflectionBaseType(scalar))
    case .enumeration(let id): enumType(id, in: schema)
    case .structure(let id): ReflectionType(.object, index: place(of: .structure(id)))
    case .array(of: let element, let count):
      ReflectionType(
        of: self.type(of: element, in: schema), size: UInt32(element.size(in: schema)), fixedLength: UInt16(count))
    }
  }

  /// Returns the type of the hidden field that tells which member a union holds, or which members a vector of unions
  /// holds; nil for other types. It is the type of all codes, even if the union names a number type: readers recognize
  /// hidden fields by it.
  func typeFieldType(of type: FieldType) -> ReflectionType? {
    switch type {
    case .union(let id): ReflectionType(.unionType, index: place(of: .union(id)))
    case .vector(of: .union(let id)): ReflectionType(of: ReflectionType(.unionType, index: place(of: .union(id))))
    default: nil
    }
  }

  /// Returns the underlying type for the definition of a union: the type of all codes, unless the union names a number
  /// type.
  ///
  /// - Parameter place: the index of the union among the enums of the binary schema.
  func codeType(_ union: UnionDefinition, _ place: Int32) -> ReflectionType {
    ReflectionType(union.writtenType.map { ReflectionBaseType($0) } ?? .unionType, index: place)
  }

  func type(of member: UnionDefinition.MemberType) -> ReflectionType {
    switch member {
    case .table(let id): ReflectionType(.object, index: place(of: .table(id)))
    case .structure(let id): ReflectionType(.object, index: place(of: .structure(id)))
    case .string: ReflectionType(.string)
    }
  }

  private func enumType(_ id: EnumID, in schema: Schema) -> ReflectionType {
    ReflectionType(ReflectionBaseType(schema[id].underlyingType), index: place(of: .enumeration(id)))
  }
}

extension StructDefinition.FieldType {
  /// Returns the number of bytes that a struct's field of this type takes.
  func size(in schema: Schema) -> Int {
    switch self {
    case .scalar(let type): type.size
    case .enumeration(let id): schema[id].underlyingType.size
    case .structure(let id): schema[id].size
    case .array(of: let element, let count): element.size(in: schema) * count
    }
  }
}
