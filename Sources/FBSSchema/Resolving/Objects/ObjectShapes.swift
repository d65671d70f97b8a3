import FBSDiagnostics
import FBSParser

/// The type that a value in a JSON object must have.
indirect enum ShapeType {
  case scalar(ScalarType)
  case enumeration(EnumID)
  /// The hidden field that says what a union holds.
  case unionCode(UnionID)
  case string
  case structure(StructID)
  case table(TableID)
  case union(UnionID)
  /// A vector, or an array of a fixed length.
  case list(of: ShapeType, count: Int?)
  /// Bytes that hold a buffer of their own. Nil if its type is unknown, which is reported.
  case nested(DefinitionID?)
  /// Bytes that hold a value of any form.
  case flexible

  init(_ type: StructDefinition.FieldType) {
    switch type {
    case .scalar(let type): self = .scalar(type)
    case .enumeration(let id): self = .enumeration(id)
    case .structure(let id): self = .structure(id)
    case .array(let element, let count): self = .list(of: ShapeType(element), count: count)
    }
  }

  init(_ type: FieldType) {
    switch type {
    case .scalar(let type): self = .scalar(type)
    case .enumeration(let id): self = .enumeration(id)
    case .string: self = .string
    case .structure(let id): self = .structure(id)
    case .table(let id): self = .table(id)
    case .union(let id): self = .union(id)
    case .vector(let element): self = .list(of: ShapeType(element.asField), count: nil)
    }
  }

  /// Whether a value of the type is stored as a number. Then `null` is a value, and not the lack of one.
  var isNumber: Bool {
    switch self {
    case .scalar, .enumeration, .unionCode: true
    default: false
    }
  }
}

/// A table or struct, as far as JSON objects are concerned.
struct ObjectShape {
  struct Member {
    let name: String
    let type: ShapeType
    /// The range of the field's definition in the schema.
    let range: SourceRange
    /// Whether the member is a number that may be `null`.
    var isOptional = false
    /// Whether a text may stand for the number, which is then its hash.
    var isHashed = false
    var isRequired = false
    var isDeprecated = false
    /// The member that tells the type of this one, if it is a union or a vector of unions.
    var typeMember: Int?
  }

  let name: QualifiedName
  let range: SourceRange
  let isStruct: Bool
  /// Whether all fields are known. Fields of a wrong type, which is reported, are not.
  let isComplete: Bool
  /// The members, in the order in which a list gives them: the order of their slots, hidden ones included.
  var members: [Member] = []
  /// The indices of the members, by the number of their name.
  var places: [Int: Int] = [:]
  var required: [Int] = []
  /// Members that do not count as missing, since an unknown field is taken for them.
  var excused: Set<Int> = []
  /// For each member, the object in which it was seen last, and its value there.
  var marks: [(object: Int, value: Int)] = []
}

/// The names of an enum's values, or of a union's members.
struct ValueNames {
  var numbers: [Int: Int64] = [:]
  var known: Set<Int64> = []
}

/// The facts about types that checking JSON objects has found so far.
struct ObjectShapes {
  enum Names: Hashable {
    case enumeration(EnumID)
    case union(UnionID)
  }

  /// A field of an object under check.
  struct Entry {
    let node: Int
    let member: Int
    /// The node of a union's type.
    var typeNode: Int?
    /// Whether the entry is a union's type whose value is missing.
    var isValueless = false
  }

  var all: [ObjectShape] = []
  fileprivate var places: [DefinitionID: Int] = [:]
  fileprivate var names: [Names: ValueNames] = [:]
  fileprivate var definitions: [DefinitionID: Int] = [:]
  /// The fields of all objects that are open.
  var entries: [Entry] = []
  /// The codes of unions' types, by their index in the tree. A code that is wrong, which is reported, is missing.
  var codes: [Int: Int64] = [:]
  /// The values with an index below this one were checked: whether each can be read before the type that another field
  /// gives it.
  var readAhead = 0
  /// The values with an index below `readAhead` that cannot be read before their type is known, which is reported.
  var unreadable: Set<Int> = []

  /// Marks a member as seen in an object. Returns its value there if it was seen before, or nil.
  mutating func mark(_ member: Int, of shape: Int, in object: Int, value: Int) -> Int? {
    let mark = all[shape].marks[member]
    guard mark.object != object else { return mark.value }
    all[shape].marks[member] = (object, value)
    return nil
  }
}

extension ObjectChecker {
  /// Prepares the shapes for another object: clears the marks of the members that the last object had.
  mutating func startObject() {
    for shape in shapes.all.indices {
      shapes.all[shape].marks = Array(repeating: (-1, -1), count: shapes.all[shape].members.count)
    }
    shapes.codes.removeAll()
    shapes.readAhead = 0
    shapes.unreadable.removeAll()
    guard shapes.definitions.isEmpty else { return }
    for (index, definition) in scope.symbols.definitions.enumerated() { shapes.definitions[definition.id] = index }
  }

  mutating func shape(of id: StructID) -> Int {
    if let place = shapes.places[.structure(id)] { return place }
    let definition = scope.schema[id]
    var members: [ObjectShape.Member] = []
    for field in definition.fields {
      members.append(
        .init(
          name: field.name, type: ShapeType(field.type), range: field.declaration.nameRange,
          isHashed: field.declaration.has("hash")))
    }
    let shape = ObjectShape(
      name: definition.name, range: definition.declaration.nameRange, isStruct: true,
      isComplete: definition.fields.count == syntaxCount(.structure(id)), members: members)
    return add(shape, for: .structure(id))
  }

  mutating func shape(of id: TableID) -> Int {
    if let place = shapes.places[.table(id)] { return place }
    let table = scope.schema[id]
    var members: [ObjectShape.Member] = []
    for field in table.fields.sorted(by: { $0.id < $1.id }) {
      var member = ObjectShape.Member(
        name: field.name, type: shapeType(of: field, in: id), range: field.declaration.nameRange)
      if case .union(let union) = field.type { add(.unionCode(union), for: &member, to: &members) }
      if case .vector(of: .union(let union)) = field.type {
        add(.list(of: .unionCode(union), count: nil), for: &member, to: &members)
      }
      member.isOptional = field.presence == .optional
      member.isHashed = field.declaration.has("hash")
      member.isRequired = field.presence == .required
      member.isDeprecated = field.isDeprecated
      members.append(member)
    }
    let shape = ObjectShape(
      name: table.name, range: table.declaration.nameRange, isStruct: false,
      isComplete: table.fields.count == syntaxCount(.table(id)), members: members)
    return add(shape, for: .table(id))
  }

  private func add(_ type: ShapeType, for member: inout ObjectShape.Member, to members: inout [ObjectShape.Member]) {
    member.typeMember = members.count
    members.append(.init(name: member.name + "_type", type: type, range: member.range))
  }

  private mutating func add(_ shape: ObjectShape, for id: DefinitionID) -> Int {
    var shape = shape
    for (place, member) in shape.members.enumerated() {
      shape.places[scope.intern(Array(member.name.utf8)[...])] = place
      if member.isRequired { shape.required.append(place) }
    }
    shape.marks = Array(repeating: (-1, -1), count: shape.members.count)
    shapes.places[id] = shapes.all.count
    shapes.all.append(shape)
    return shapes.all.count - 1
  }

  /// Returns the number of fields that a table or struct has in the text; nil for other definitions.
  private func syntaxCount(_ id: DefinitionID) -> Int? {
    switch shapes.definitions[id].map({ scope.symbols.definitions[$0].syntax }) {
    case .table(let node), .structure(let node): node.fields.count
    default: nil
    }
  }

  private func shapeType(of field: FieldDefinition, in table: TableID) -> ShapeType {
    guard field.type == .vector(of: .scalar(.uint8)) else { return ShapeType(field.type) }
    if case .string(let name) = field.declaration.attribute("nested_flatbuffer")?.value,
      let index = shapes.definitions[.table(table)]
    {
      let components = name.split(separator: ".", omittingEmptySubsequences: false).map {
        scope.symbols.names.find(Array($0.utf8)[...])
      }
      let known = components.compactMap { $0 }
      guard known.count == components.count,
        let found = scope.lookUp(
          known, from: scope.symbols.definitions[index].namespace, in: scope.symbols.definitions[index].file
        ).found
      else { return .nested(nil) }
      return .nested(scope.symbols.definitions[found].id)
    }
    return field.declaration.has("flexbuffer") ? .flexible : ShapeType(field.type)
  }

  /// Returns the names of an enum's values or of a union's members, with their numbers.
  mutating func valueNames(_ key: ObjectShapes.Names) -> ValueNames {
    if let found = shapes.names[key] { return found }
    var result = ValueNames()
    switch key {
    case .enumeration(let id):
      for value in scope.schema[id].names {
        result.numbers[scope.intern(Array(value.name.utf8)[...])] = value.number
        result.known.insert(value.number)
      }
    case .union(let id):
      result.numbers[scope.intern(Array("NONE".utf8)[...])] = 0
      result.known.insert(0)
      for member in scope.schema[id].members {
        result.numbers[scope.intern(Array(member.name.utf8)[...])] = member.code
        result.known.insert(member.code)
      }
    }
    shapes.names[key] = result
    return result
  }

  /// Returns whether all values of an enum, or members of a union, could be resolved. Wrong ones have been reported.
  func isComplete(_ key: ObjectShapes.Names) -> Bool {
    switch key {
    case .enumeration(let id):
      return !scope.incompleteEnums.contains(id)
    case .union(let id):
      guard let index = shapes.definitions[.union(id)], case .union(let node) = scope.symbols.definitions[index].syntax
      else {
        return false
      }
      return node.members.count == scope.schema[id].members.count
    }
  }
}
