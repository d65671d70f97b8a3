import FlatBuffersCore

// Types, and the defaults of fields.

extension BinarySchemaText {
  /// Returns a kind of type. Throws if this version does not know it.
  func base(
    of type: FlatBufferTable, at slot: VTableOffset = ReflectionSlot.TypeInfo.base
  ) throws(BinarySchema.Failure) -> ReflectionBaseType {
    let number = type.scalar(at: slot, default: Int8(0))
    guard let base = ReflectionBaseType(rawValue: number) else {
      throw BinarySchema.Failure(description: "it has a type of number \(number), which this version does not know")
    }
    return base
  }

  /// Returns whether the values of a field, or its elements, tell which member a union holds. Their type is the type of all
  /// unions' codes, or a number type that the union names.
  func isCode(_ base: ReflectionBaseType, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> Bool {
    if base == .unionType { return true }
    let index = type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1))
    guard base.scalar != nil, enums.indices.contains(Int(index)) else { return false }
    return enums[Int(index)].scalar(at: ReflectionSlot.Enum.isUnion, default: false)
  }

  /// Returns the size and alignment of a value in a struct. Nil for a type that no struct can hold.
  func measure(_ type: FlatBufferTable) throws(BinarySchema.Failure) -> ReflectedStructLayout.Measure? {
    let base = try base(of: type)
    guard base == .array else { return try measure(base, type) }
    let count = Int(type.scalar(at: ReflectionSlot.TypeInfo.fixedLength, default: UInt16(0)))
    return try measure(try self.base(of: type, at: ReflectionSlot.TypeInfo.element), type).map {
      ($0.size * count, $0.alignment)
    }
  }

  private func measure(
    _ base: ReflectionBaseType, _ type: FlatBufferTable
  ) throws(BinarySchema.Failure) -> ReflectedStructLayout.Measure? {
    if let scalar = base.scalar { return (scalar.size, scalar.size) }
    let index = Int(type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1)))
    guard base == .object, objects.indices.contains(index),
      objects[index].scalar(at: ReflectionSlot.Object.isStruct, default: false)
    else { return nil }
    let layout = try ReflectedStructLayout(objects[index])
    return (layout.size, layout.alignment)
  }

  func word(_ base: ReflectionBaseType) throws(BinarySchema.Failure) -> String {
    guard let scalar = base.scalar else {
      throw BinarySchema.Failure(description: "it has a type of number \(base.rawValue) where there can be none")
    }
    return scalar.schemaName
  }

  func type(_ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let base = try base(of: type)
    switch base {
    case .vector, .vector64: return "[\(try element(of: type))]"
    case .array:
      return "[\(try element(of: type)):\(type.scalar(at: ReflectionSlot.TypeInfo.fixedLength, default: UInt16(0)))]"
    default: return try single(base, type)
    }
  }

  func element(of type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    try single(try base(of: type, at: ReflectionSlot.TypeInfo.element), type)
  }

  func single(_ base: ReflectionBaseType, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let index = Int(type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1)))
    func definition(in list: [FlatBufferTable], _ slot: VTableOffset) throws(BinarySchema.Failure) -> String {
      guard list.indices.contains(index) else {
        throw BinarySchema.Failure(description: "it refers to a type that it lacks")
      }
      return try qualifiedName(list[index], slot)
    }
    switch base {
    case .string: return "string"
    case .object: return try definition(in: objects, ReflectionSlot.Object.name)
    case .union: return try definition(in: enums, ReflectionSlot.Enum.name)
    default: return index < 0 ? try word(base) : try definition(in: enums, ReflectionSlot.Enum.name)
    }
  }

  func value(of field: FlatBufferTable, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let base = try base(of: type)
    guard base.scalar != nil else { return "" }
    if field.scalar(at: ReflectionSlot.Field.isOptional, default: false) { return " = null" }
    let integer = field.scalar(at: ReflectionSlot.Field.defaultInteger, default: Int64(0))
    let index = Int(type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1)))
    if enums.indices.contains(index) { return try enumValue(integer, enums[index], base) }
    switch try word(base) {
    case "bool": return integer == 0 ? "" : " = true"
    case "float", "double":
      let real = field.scalar(at: ReflectionSlot.Field.defaultReal, default: Double(0))
      return real.bitPattern == 0 ? "" : " = \(real.isNaN ? "nan" : String(real))"
    case "ulong": return integer == 0 ? "" : " = \(UInt64(bitPattern: integer))"
    default: return integer == 0 ? "" : " = \(integer)"
    }
  }

  func enumValue(
    _ number: Int64, _ definition: FlatBufferTable, _ base: ReflectionBaseType
  ) throws(BinarySchema.Failure) -> String {
    for value in definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.values)
    where value.scalar(at: ReflectionSlot.Value.number, default: Int64(0)) == number {
      let name = try name(value, ReflectionSlot.Value.name)
      // As a default, the name would make the field optional. A number means the same.
      if name == "null" { break }
      return " = \(name)"
    }
    // A set of flags is no single value.
    return number == 0 ? "" : " = \(try word(base) == "ulong" ? String(UInt64(bitPattern: number)) : String(number))"
  }
}
