/// What a ``FlatBufferVectorEditor`` may hold: scalars, enums, and editors of structs and tables.
public protocol FlatBufferEditableElement {
  /// The bytes that one element takes in a vector: its size, or 4 where an offset to it stands there.
  static var editorStride: Int { get }

  /// The element at `position`, which is inside `window`, which sees the bytes of `bytes`.
  static func editorElement(in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int) -> Self
}

/// The type of a table in a schema, as an editor of one in a buffer. Generated code conforms to it.
public protocol FlatBufferTableEditorView: FlatBufferEditableElement {
  /// Sees `editor` as this type.
  init(_ editor: FlatBufferTableEditor)
}

extension FlatBufferTableEditorView {
  /// The root table of the FlatBuffer in `bytes`; nil when there can be none.
  public init?(root bytes: EditableFlatBuffer, sizePrefixed: Bool = false) {
    guard let editor = FlatBufferTableEditor(rootOf: bytes, sizePrefixed: sizePrefixed) else { return nil }
    self.init(editor)
  }

  /// An offset takes 4 bytes.
  public static var editorStride: Int { 4 }

  /// The table that the offset at `position` leads to; one with no field present when it cannot be read.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    Self(FlatBufferTableEditor(FlatBufferTable(referredToAt: position, in: window) ?? .empty, of: bytes))
  }
}

/// The type of a struct in a schema, as an editor of one in a buffer. Generated code conforms to it.
public protocol FlatBufferStructEditorView: FlatBufferEditableElement {
  /// All of such a struct's fields.
  associatedtype Value: FlatBufferStructWritable

  /// Sees `editor` as this type.
  init(_ editor: FlatBufferStructEditor)

  /// What is seen. The underscore keeps the name free for a field of the schema.
  var _editor: FlatBufferStructEditor { get }
}

extension FlatBufferStructEditorView {
  /// Changes all fields at once.
  public func replace(with value: Value) {
    _editor.replace(with: value)
  }

  /// The size of the struct.
  public static var editorStride: Int { Value.byteSize }

  /// The struct at `position`.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    Self(
      FlatBufferStructEditor(
        FlatBufferStruct(in: window, at: position, size: Value.byteSize) ?? .empty, of: bytes))
  }
}

/// The type of a union in a schema, as an editor of one in a buffer. Generated code conforms to it.
public protocol FlatBufferUnionEditorView {
  /// Sees `member` as what `code` says it is; nil when that is nothing, or it cannot be read.
  init?(code: UInt8, member: FlatBufferUnionMemberEditor)
}

extension FlatBufferEditableElement where Self: FlatBufferScalar {
  /// The bytes that one value takes.
  public static var editorStride: Int { vectorStride }

  /// The value at `position`.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    bytes.load(Self.self, at: position)
  }
}

extension FlatBufferEditableElement where Self: FlatBufferEnumValue {
  /// The size of the raw value.
  public static var editorStride: Int { vectorStride }

  /// The value at `position`.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    Self(rawValue: bytes.load(RawValue.self, at: position))
  }
}

extension Bool: FlatBufferEditableElement {}
extension Int8: FlatBufferEditableElement {}
extension Int16: FlatBufferEditableElement {}
extension Int32: FlatBufferEditableElement {}
extension Int64: FlatBufferEditableElement {}
extension UInt8: FlatBufferEditableElement {}
extension UInt16: FlatBufferEditableElement {}
extension UInt32: FlatBufferEditableElement {}
extension UInt64: FlatBufferEditableElement {}
extension Float: FlatBufferEditableElement {}
extension Double: FlatBufferEditableElement {}
