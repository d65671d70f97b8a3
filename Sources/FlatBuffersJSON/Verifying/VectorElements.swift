import FBSSchema

/// The elements of a vector in a verified FlatBuffer. Paths lead from each element to what it contains.
public struct VectorElements: RandomAccessCollection, Sendable {
  /// The number of elements.
  public let endIndex: Int
  private let bytes: WireBytes
  private let layouts: SchemaLayouts
  private let type: MemberType
  /// The position of the first element.
  private let start: Int
  /// The position of the first type code, for a vector of unions.
  private let codes: Int

  /// The index of the first element.
  public var startIndex: Int { 0 }

  /// Creates the elements of an absent vector, which has none.
  init(in bytes: WireBytes, _ layouts: SchemaLayouts) {
    self.bytes = bytes
    self.layouts = layouts
    type = .string
    (start, endIndex, codes) = (0, 0, 0)
  }

  /// Creates the elements of the vector in a member of the table at a position.
  ///
  /// - Parameters:
  ///   - index: the index of the member in the table's layout.
  ///   - id: the table's definition.
  ///   - table: the position of the table.
  ///   - field: the position of the member's field.
  init(
    ofMember index: Int, of id: TableID, at table: Int, _ field: Int, in bytes: WireBytes, _ layouts: SchemaLayouts
  ) {
    let member = layouts[id].members[index]
    self.bytes = bytes
    self.layouts = layouts
    (start, endIndex) = bytes.elements(
      at: bytes.target(at: field, isWide: member.hasWideOffset), isWide: member.hasWideLength)
    guard case .vector(let element) = member.type else {
      (type, codes) = (member.type, 0)
      return
    }
    type = element
    if case .union = element, let field = bytes.field(layouts[id].members[index - 1].slot, ofTableAt: table) {
      codes = bytes.elements(at: bytes.target(at: field)).start
    } else {
      codes = 0
    }
  }

  /// The element at an index.
  public subscript(index: Int) -> PathOrigin { PathOrigin(content(at: index), in: bytes, layouts) }

  private func content(at index: Int) -> PathOrigin.Content {
    switch type {
    case .number(let type):
      let bits = bytes.number(type.scalar, at: start + type.scalar.size * index)
      return .single(FieldValue(bits, type, isCode: true))
    case .structure(let id): return .structure(id, start + layouts[id].size * index)
    case .string: return .single(bytes.text(at: bytes.target(at: start + 4 * index)))
    case .table: return .table(bytes.target(at: start + 4 * index))
    case .union(let id):
      let type = layouts.schema[id].underlyingType
      return .union(
        id, bytes.target(at: start + 4 * index), code: bytes.number(type, at: codes + type.size * index))
    // No vector has such elements.
    case .vector, .nested, .flexible: return .opaque
    }
  }
}
