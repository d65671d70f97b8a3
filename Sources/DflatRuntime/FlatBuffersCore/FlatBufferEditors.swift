/// A table whose scalars can be changed where they stand. Generated code has an editor for each table.
public struct FlatBufferTableEditor {
  // The table refers to the bytes of `bytes` without keeping them: so whoever reads through it keeps those.

  /// The bytes that are changed.
  public let bytes: EditableFlatBuffer
  private let table: FlatBufferTable

  init(_ table: FlatBufferTable, of bytes: EditableFlatBuffer) {
    self.bytes = bytes
    self.table = table
  }

  /// The root table of `bytes`; nil when there can be none.
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

  /// The scalar in the field of `slot`, or `default` when it is absent.
  public func scalar<T: FlatBufferScalar>(at slot: VTableOffset, default: T) -> T {
    read { $0.scalar(at: slot, default: `default`) }
  }

  /// The scalar in the field of `slot`, or nil when it is absent.
  public func optionalScalar<T: FlatBufferScalar>(_: T.Type = T.self, at slot: VTableOffset) -> T? {
    read { $0.optionalScalar(at: slot) }
  }

  /// Changes the scalar in the field of `slot`. When that is absent, as it is when it was written with its default, there
  /// is no room for a value: nothing changes, and the result says whether `value` is that default.
  public func mutate<T: FlatBufferScalar>(_ value: T, default: T, at slot: VTableOffset) -> Bool {
    mutate(value, at: slot) || (!read { $0.hasField(at: slot) } && value.flatBufferBits == `default`.flatBufferBits)
  }

  /// Changes the optional scalar in the field of `slot`; false when it is absent, so that there is no room for a value.
  public func mutate<T: FlatBufferScalar>(_ value: T, at slot: VTableOffset) -> Bool {
    let position = read { $0.structure(at: slot, size: MemoryLayout<T.Bits>.size)?.position }
    return position.map { bytes.store(value, at: $0) } ?? false
  }

  /// The struct in the field of `slot`; nil when it is absent.
  public func structure<View: FlatBufferStructEditorView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    let structure = read { $0.structure(at: slot, size: View.Value.byteSize) }
    return structure.map { View(FlatBufferStructEditor($0, of: bytes)) }
  }

  /// The table in the field of `slot`; nil when it is absent.
  public func table<View: FlatBufferTableEditorView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    let target = read { $0.table(at: slot) }
    return target.map { View(FlatBufferTableEditor($0, of: bytes)) }
  }

  /// The union whose member is in the field of `slot`; nil when it is absent.
  public func union<View: FlatBufferUnionEditorView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    let code = scalar(at: slot &- 2, default: 0 as UInt8)
    guard code != 0, let member = read({ $0.unionMember(at: slot) }) else { return nil }
    return View(code: code, member: FlatBufferUnionMemberEditor(member: member, bytes: bytes))
  }

  /// The vector of unions whose members are in the field of `slot`: an empty one when it is absent.
  public func unionVector<View: FlatBufferUnionEditorView>(
    of _: View.Type = View.self, at slot: VTableOffset
  ) -> FlatBufferUnionVectorEditor<View> {
    read { FlatBufferUnionVectorEditor(of: $0, at: slot, bytes: bytes) }
  }

  /// The vector in the field of `slot`: an empty one when it is absent.
  public func vector<Element: FlatBufferEditableElement>(
    of _: Element.Type = Element.self, at slot: VTableOffset
  ) -> FlatBufferVectorEditor<Element> {
    read { table in
      // Its length is the same whatever the elements are; where it starts is, too.
      let elements = table.vector(of: UInt8.self, at: slot)
      let start = elements.withUnsafeBytes { bytes.position(of: $0) }
      guard !elements.isEmpty, elements.count <= (bytes.window.count - start) / Element.editorStride else {
        return FlatBufferVectorEditor(bytes: bytes, window: table.window, start: 0, count: 0)
      }
      return FlatBufferVectorEditor(bytes: bytes, window: table.window, start: start, count: elements.count)
    }
  }
}

/// A vector of unions whose members can be changed where they stand.
///
/// An element is nil when its code is 0, or its member cannot be read.
public struct FlatBufferUnionVectorEditor<View: FlatBufferUnionEditorView>: RandomAccessCollection {
  /// The bytes that are changed.
  public let bytes: EditableFlatBuffer
  private let codes: FlatBufferVector<UInt8>
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

  /// The member at `index`, from 0 to `count - 1`.
  public subscript(index: Int) -> View? {
    withExtendedLifetime(bytes) {
      let code = codes[index]
      return code == 0
        ? nil : View(code: code, member: FlatBufferUnionMemberEditor(member: members[index], bytes: bytes))
    }
  }
}

/// A struct whose fields can be changed where they stand. Generated code has an editor for each struct.
public struct FlatBufferStructEditor {
  /// The bytes that are changed.
  public let bytes: EditableFlatBuffer
  private let structure: FlatBufferStruct

  init(_ structure: FlatBufferStruct, of bytes: EditableFlatBuffer) {
    self.bytes = bytes
    self.structure = structure
  }

  /// The scalar `offset` bytes from the struct's start.
  public func scalar<T: FlatBufferScalar>(_: T.Type = T.self, at offset: Int) -> T {
    withExtendedLifetime(bytes) { structure.scalar(at: offset) }
  }

  /// Changes the scalar `offset` bytes from the struct's start. One that would be outside of the struct is not written.
  public func set<T: FlatBufferScalar>(_ value: T, at offset: Int) {
    guard offset >= 0, offset <= structure.byteCount - MemoryLayout<T.Bits>.size else { return }
    _ = bytes.store(value, at: structure.position + offset)
  }

  /// Changes all of the struct, of which `Value` is the type.
  public func replace<Value: FlatBufferStructWritable>(with value: Value) {
    guard structure.byteCount == Value.byteSize else { return }
    bytes.store(value, at: structure.position)
  }

  /// The struct that starts `offset` bytes from this one's start.
  public func structure<View: FlatBufferStructEditorView>(_: View.Type = View.self, at offset: Int) -> View {
    View(FlatBufferStructEditor(structure.structure(at: offset, size: View.Value.byteSize), of: bytes))
  }

  /// The fixed array of `count` elements that starts `offset` bytes from the struct's start.
  public func fixedArray<Element: FlatBufferEditableElement>(
    of _: Element.Type = Element.self, at offset: Int, count: Int
  ) -> FlatBufferVectorEditor<Element> {
    let isInside =
      offset >= 0 && count >= 0 && offset <= structure.byteCount
      && count <= (structure.byteCount - offset) / Element.editorStride
    return FlatBufferVectorEditor(
      bytes: bytes, window: structure.window, start: structure.position + offset, count: isInside ? count : 0)
  }
}

/// A union's member in bytes that can be changed, before its type code says what it is.
public struct FlatBufferUnionMemberEditor {
  let member: FlatBufferUnionMember
  let bytes: EditableFlatBuffer

  /// The member as a table; nil when there can be none.
  public func table<View: FlatBufferTableEditorView>(_: View.Type) -> View? {
    withExtendedLifetime(bytes) { member.table }.map { View(FlatBufferTableEditor($0, of: bytes)) }
  }

  /// The member as a struct; nil when there can be none.
  public func structure<View: FlatBufferStructEditorView>(_: View.Type) -> View? {
    withExtendedLifetime(bytes) { member.structure(size: View.Value.byteSize) }
      .map { View(FlatBufferStructEditor($0, of: bytes)) }
  }

  /// The member as a string, which cannot be changed; nil when there can be none.
  public var string: String? { withExtendedLifetime(bytes) { member.string } }
}

/// A vector or fixed array in bytes that can be changed.
///
/// Scalars and enums are changed by their index; structs and tables give their editors.
public struct FlatBufferVectorEditor<Element: FlatBufferEditableElement>: RandomAccessCollection {
  /// The bytes that are changed.
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
    precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector.")
    return start + index * Element.editorStride
  }

  /// The element at `index`, from 0 to `count - 1`.
  public subscript(index: Int) -> Element {
    withExtendedLifetime(bytes) { Element.editorElement(in: window, of: bytes, at: position(index)) }
  }
}

extension FlatBufferVectorEditor where Element: FlatBufferScalar {
  /// The element at `index`, from 0 to `count - 1`.
  public subscript(index: Int) -> Element {
    get { bytes.load(Element.self, at: position(index)) }
    nonmutating set { _ = bytes.store(newValue, at: position(index)) }
  }
}

extension FlatBufferVectorEditor where Element: FlatBufferEnumValue {
  /// The element at `index`, from 0 to `count - 1`.
  public subscript(index: Int) -> Element {
    get { Element(rawValue: bytes.load(Element.RawValue.self, at: position(index))) }
    nonmutating set { _ = bytes.store(newValue.rawValue, at: position(index)) }
  }
}
