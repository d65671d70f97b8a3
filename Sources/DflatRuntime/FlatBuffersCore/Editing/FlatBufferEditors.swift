/// An editor that overwrites the scalars of one table in place. Generated code wraps it in a type for each table.
public struct FlatBufferTableEditor {
  // `table` does not retain the memory of `bytes`. Every read extends the lifetime of `bytes` until it has ended.

  /// The buffer that the editor changes.
  public let bytes: EditableFlatBuffer
  private let table: FlatBufferTable

  init(_ table: FlatBufferTable, of bytes: EditableFlatBuffer) {
    self.bytes = bytes
    self.table = table
  }

  /// Creates an editor for the root table of `bytes`; nil if that cannot be read.
  public init?(rootOf bytes: EditableFlatBuffer, sizePrefixed: Bool = false) {
    let root = withExtendedLifetime(bytes) {
      FlatBufferTable(rootOf: bytes.window.buffer, sizePrefixed: sizePrefixed)
    }
    guard let root else { return nil }
    self.init(root, of: bytes)
  }

  private func read<Result>(_ body: (FlatBufferTable) -> Result) -> Result {
    withExtendedLifetime(bytes) { body(table) }
  }

  /// Returns the scalar in the field at `slot`; `default` if it is absent.
  public func scalar<T: FlatBufferScalar>(at slot: VTableOffset, default: T) -> T {
    read { $0.scalar(at: slot, default: `default`) }
  }

  /// Returns the scalar in the field at `slot`; nil if it is absent.
  public func optionalScalar<T: FlatBufferScalar>(_: T.Type = T.self, at slot: VTableOffset) -> T? {
    read { $0.optionalScalar(at: slot) }
  }

  /// Overwrites the scalar in the field at `slot`. An absent field cannot be overwritten: a field that was written with
  /// its default is usually absent.
  ///
  /// - Returns: true if the field now reads as `value`: because it was overwritten, or is absent and `value` is
  ///   `default`.
  public func mutate<T: FlatBufferScalar>(_ value: T, default: T, at slot: VTableOffset) -> Bool {
    mutate(value, at: slot) || (!read { $0.hasField(at: slot) } && value.flatBufferBits == `default`.flatBufferBits)
  }

  /// Overwrites the optional scalar in the field at `slot`. Returns false if the field is absent: an absent field
  /// cannot be overwritten.
  public func mutate<T: FlatBufferScalar>(_ value: T, at slot: VTableOffset) -> Bool {
    let position = read { $0.structure(at: slot, size: MemoryLayout<T.Bits>.size)?.position }
    return position.map { bytes.store(value, at: $0) } ?? false
  }

  /// Returns the struct in the field at `slot`; nil if it is absent.
  public func structure<View: FlatBufferStructEditorView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    let structure = read { $0.structure(at: slot, size: View.Value.byteSize) }
    return structure.map { View(FlatBufferStructEditor($0, of: bytes)) }
  }

  /// Returns the table in the field at `slot`; nil if it is absent.
  public func table<View: FlatBufferTableEditorView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    let target = read { $0.table(at: slot) }
    return target.map { View(FlatBufferTableEditor($0, of: bytes)) }
  }

  /// Returns the union whose member is in the field at `slot` and whose type code is in the slot before; nil if it is absent.
  public func union<View: FlatBufferUnionEditorView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    let code = scalar(at: slot &- 2, default: 0 as View._TypeCode)
    guard code != 0, let member = read({ $0.unionMember(at: slot) }) else { return nil }
    return View(code: code, member: FlatBufferUnionMemberEditor(member: member, bytes: bytes))
  }

  /// Returns the vector of unions whose members are in the field at `slot`; an empty one if it is absent.
  public func unionVector<View: FlatBufferUnionEditorView>(
    of _: View.Type = View.self, at slot: VTableOffset
  ) -> FlatBufferUnionVectorEditor<View> {
    read { FlatBufferUnionVectorEditor(of: $0, at: slot, bytes: bytes) }
  }

  /// Returns the vector in the field at `slot`; an empty one if it is absent.
  public func vector<Element: FlatBufferEditableElement>(
    of _: Element.Type = Element.self, at slot: VTableOffset
  ) -> FlatBufferVectorEditor<Element> {
    // Length and start position do not depend on the type of the elements, so they are read as those of bytes.
    read { editor(of: $0.vector(of: UInt8.self, at: slot)) }
  }

  /// Returns the `(offset64)` vector in the field at `slot`; an empty one if it is absent.
  public func vector<Element: FlatBufferEditableElement>(
    of _: Element.Type = Element.self, offset64At slot: VTableOffset
  ) -> FlatBufferVectorEditor<Element> {
    read { editor(of: $0.vector(of: UInt8.self, offset64At: slot)) }
  }

  /// Returns the `(vector64)` vector in the field at `slot`; an empty one if it is absent.
  public func vector<Element: FlatBufferEditableElement>(
    of _: Element.Type = Element.self, vector64At slot: VTableOffset
  ) -> FlatBufferVectorEditor<Element> {
    read { editor(of: $0.vector(of: UInt8.self, vector64At: slot)) }
  }

  /// Returns an editor of the vector that has the start position and length of `elements`; an empty one if its elements exceed
  /// the buffer.
  private func editor<Element: FlatBufferEditableElement>(
    of elements: FlatBufferVector<UInt8>
  ) -> FlatBufferVectorEditor<Element> {
    let start = elements.withUnsafeBytes { bytes.position(of: $0) }
    guard !elements.isEmpty, elements.count <= (bytes.window.count - start) / Element.editorStride else {
      return FlatBufferVectorEditor(bytes: bytes, window: elements.window, start: 0, count: 0)
    }
    return FlatBufferVectorEditor(bytes: bytes, window: elements.window, start: start, count: elements.count)
  }
}

/// A vector of unions whose members can be overwritten in place.
///
/// An element is nil if its type code is 0 or its member cannot be read.
public struct FlatBufferUnionVectorEditor<View: FlatBufferUnionEditorView>: RandomAccessCollection {
  /// The buffer that the editor changes.
  public let bytes: EditableFlatBuffer
  private let codes: FlatBufferVector<View._TypeCode>
  private let members: FlatBufferVector<FlatBufferUnionMember>

  fileprivate init(of table: FlatBufferTable, at slot: VTableOffset, bytes: EditableFlatBuffer) {
    self.bytes = bytes
    codes = table.vector(at: slot &- 2)
    members = table.vector(at: slot)
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { Swift.min(codes.count, members.count) }

  /// The member at `index`, from 0 to `count - 1`; nil if its type code is 0 or it cannot be read. Any other index may
  /// stop the program.
  public subscript(index: Int) -> View? {
    withExtendedLifetime(bytes) {
      let code = codes[index]
      return code == 0
        ? nil : View(code: code, member: FlatBufferUnionMemberEditor(member: members[index], bytes: bytes))
    }
  }
}

/// An editor that overwrites the fields of one struct in place. Generated code wraps it in a type for each struct.
public struct FlatBufferStructEditor {
  /// The buffer that the editor changes.
  public let bytes: EditableFlatBuffer
  private let structure: FlatBufferStruct

  init(_ structure: FlatBufferStruct, of bytes: EditableFlatBuffer) {
    self.bytes = bytes
    self.structure = structure
  }

  /// Returns the scalar at `offset`, in bytes from the struct's start.
  public func scalar<T: FlatBufferScalar>(_: T.Type = T.self, at offset: Int) -> T {
    withExtendedLifetime(bytes) { structure.scalar(at: offset) }
  }

  /// Overwrites the scalar at `offset`, in bytes from the struct's start. Writes nothing if it would exceed the struct.
  public func set<T: FlatBufferScalar>(_ value: T, at offset: Int) {
    guard offset >= 0, offset <= structure.byteCount - MemoryLayout<T.Bits>.size else { return }
    _ = bytes.store(value, at: structure.position + offset)
  }

  /// Overwrites the whole struct. Writes nothing if `Value` has another size than the struct.
  ///
  /// A fixed array of `value` with more elements than the schema allows stops the program.
  public func replace<Value: FlatBufferStructWritable>(with value: Value) {
    guard structure.byteCount == Value.byteSize else { return }
    bytes.store(value, at: structure.position)
  }

  /// Returns the nested struct at `offset`, in bytes from this struct's start.
  public func structure<View: FlatBufferStructEditorView>(_: View.Type = View.self, at offset: Int) -> View {
    View(FlatBufferStructEditor(structure.structure(at: offset, size: View.Value.byteSize), of: bytes))
  }

  /// Returns the fixed array of `count` elements at `offset`, in bytes from the struct's start; an empty one if it exceeds the
  /// struct.
  public func fixedArray<Element: FlatBufferEditableElement>(
    of _: Element.Type = Element.self, at offset: Int, count: Int
  ) -> FlatBufferVectorEditor<Element> {
    let isInside =
      offset >= 0 && count >= 0 && offset <= structure.byteCount
      && count <= (structure.byteCount - offset) / Element.editorStride
    // An offset of any size must not overflow.
    return FlatBufferVectorEditor(
      bytes: bytes, window: structure.window, start: isInside ? structure.position + offset : structure.position,
      count: isInside ? count : 0)
  }
}

/// A union's member in an editable buffer, before its type code is applied.
public struct FlatBufferUnionMemberEditor {
  let member: FlatBufferUnionMember
  let bytes: EditableFlatBuffer

  /// Returns the member as a table; nil if it cannot be read as one.
  public func table<View: FlatBufferTableEditorView>(_: View.Type) -> View? {
    withExtendedLifetime(bytes) { member.table }.map { View(FlatBufferTableEditor($0, of: bytes)) }
  }

  /// Returns the member as a struct; nil if it cannot be read as one.
  public func structure<View: FlatBufferStructEditorView>(_: View.Type) -> View? {
    withExtendedLifetime(bytes) { member.structure(size: View.Value.byteSize) }
      .map { View(FlatBufferStructEditor($0, of: bytes)) }
  }

  /// The member as a string, which cannot be changed; nil if it cannot be read as one.
  public var string: String? { withExtendedLifetime(bytes) { member.string } }
}

/// A vector or fixed array in an editable buffer.
///
/// The subscript sets scalars and enums in place; for structs and tables, it returns their editors.
public struct FlatBufferVectorEditor<Element: FlatBufferEditableElement>: RandomAccessCollection {
  /// The buffer that the editor changes.
  public let bytes: EditableFlatBuffer
  fileprivate let window: FlatBufferWindow
  fileprivate let start: Int
  /// The number of elements.
  public let count: Int

  fileprivate init(bytes: EditableFlatBuffer, window: FlatBufferWindow, start: Int, count: Int) {
    self.bytes = bytes
    self.window = window
    self.start = start
    self.count = count
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { count }

  fileprivate func position(_ index: Int) -> Int {
    precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector: it is from 0 to count - 1.")
    return start + index * Element.editorStride
  }

  /// The element at `index`, from 0 to `count - 1`. Any other index stops the program.
  public subscript(index: Int) -> Element {
    withExtendedLifetime(bytes) { Element.editorElement(in: window, of: bytes, at: position(index)) }
  }
}

extension FlatBufferVectorEditor where Element: FlatBufferScalar {
  /// The element at `index`, from 0 to `count - 1`. Any other index stops the program.
  public subscript(index: Int) -> Element {
    get { bytes.load(Element.self, at: position(index)) }
    nonmutating set { _ = bytes.store(newValue, at: position(index)) }
  }
}

extension FlatBufferVectorEditor where Element: FlatBufferEnumValue {
  /// The element at `index`, from 0 to `count - 1`. Any other index stops the program.
  public subscript(index: Int) -> Element {
    get { Element(rawValue: bytes.load(Element.RawValue.self, at: position(index))) }
    nonmutating set { _ = bytes.store(newValue.rawValue, at: position(index)) }
  }
}
