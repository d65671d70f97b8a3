import FBSSchema

/// The alignments of nested FlatBuffers. What a buffer may hold decides its alignment, so that the code of a file depends
/// on that file and its includes alone.
struct NestedAlignments: Sendable {
  /// The roots of buffers that need a larger alignment than numbers do, with all that holds one of them.
  private let large: [DefinitionID: Int]

  /// The alignment of a buffer of numbers, strings and references.
  private static let ofNumbers = 8

  init(_ schema: Schema, _ nested: NestedTables) {
    // Few schemas have nested buffers, and large ones should not pay for them.
    guard nested.areUsed else {
      large = [:]
      return
    }
    var own: [DefinitionID: Int] = [:]
    var holders: [DefinitionID: [DefinitionID]] = [:]
    for (index, definition) in schema.structs.enumerated() { own[.structure(StructID(index))] = definition.alignment }
    for (index, table) in schema.tables.enumerated() {
      let id = DefinitionID.table(TableID(index))
      for field in table.fields {
        // A buffer within the buffer is aligned only if that is.
        for case let held? in [field.type.definition, field.nestedType] { holders[held, default: []].append(id) }
        if let alignment = field.elementAlignment { own[id] = max(own[id, default: 1], alignment) }
      }
    }
    for index in schema.unions.indices {
      let id = DefinitionID.union(UnionID(index))
      for held in schema.contents(of: id) { holders[held, default: []].append(id) }
    }
    // From what is aligned up to all that holds it, so that each definition is met once for each alignment.
    var found: [DefinitionID: Int] = [:]
    for alignment in [16, 32] {
      var queue = own.filter { $0.value >= alignment }.map(\.key)
      for id in queue { found[id] = alignment }
      while let id = queue.popLast() {
        for holder in holders[id] ?? [] where found.updateValue(alignment, forKey: holder) != alignment {
          queue.append(holder)
        }
      }
    }
    large = found
  }

  /// Returns the alignment in bytes of the FlatBuffer that is nested in a field: that of the largest number, or of a
  /// struct or vector that it may hold.
  func alignment(ofBufferIn field: FieldDefinition) -> Int {
    field.nestedType.flatMap { large[$0] } ?? Self.ofNumbers
  }
}

extension FieldDefinition {
  /// The alignment that `(force_align)` gives to the elements of a vector; nil without one, and for elements that are
  /// references, which keep theirs, as in `dflatc convert`. A value that is no power of two up to 32, FlatBuffers' largest
  /// alignment, counts as none.
  var elementAlignment: Int? {
    guard case .vector(let element) = type else { return nil }
    switch element {
    case .scalar, .enumeration, .structure: break
    case .string, .table, .union: return nil
    }
    let alignment: Int? =
      switch declaration.attribute("force_align")?.value {
      case .integer(let number): Int(exactly: number)
      case .string(let text): Int(text)
      case nil: nil
      }
    guard let alignment, [2, 4, 8, 16, 32].contains(alignment) else { return nil }
    return alignment
  }
}
