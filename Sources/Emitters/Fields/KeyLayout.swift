import FBSSchema

extension Schema {
  /// The runtime's description of a key of `type`, which is `offset` bytes from the start of `byteSize` bytes.
  func keyLayout(
    of type: StructDefinition.FieldType, at offset: Int, byteSize: Int, _ imported: ImportedTypeNames
  ) -> CodeText {
    let parts = keyParts(of: type, at: offset).joined(separator: ", ")
    return "\(imported[.flatBufferKeyLayout])(byteSize: \(byteSize), [\(parts)])"
  }

  /// The numbers of a key, in the order in which they are compared: a struct's fields are taken one by one.
  private func keyParts(of type: StructDefinition.FieldType, at offset: Int) -> [String] {
    switch type {
    case .scalar(let scalar): return [".numbers(.\(scalar), at: \(offset))"]
    case .enumeration(let id): return [".numbers(.\(self[id].underlyingType), at: \(offset))"]
    case .structure(let id):
      return self[id].fields.flatMap { keyParts(of: $0.type, at: offset + $0.offset) }
    case .array(.scalar(let scalar), let count): return [".numbers(.\(scalar), at: \(offset), count: \(count))"]
    case .array(.enumeration(let id), let count):
      return [".numbers(.\(self[id].underlyingType), at: \(offset), count: \(count))"]
    case .array(.structure(let id), let count):
      let parts = keyParts(of: .structure(id), at: 0).joined(separator: ", ")
      return [".structures([\(parts)], at: \(offset), stride: \(self[id].size), count: \(count))"]
    case .array(.array, _): return []  // Arrays of arrays do not resolve.
    }
  }
}
