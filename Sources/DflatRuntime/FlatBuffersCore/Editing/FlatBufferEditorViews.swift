/// An element of a ``FlatBufferVectorEditor``: a scalar, an enum, or the editor of a struct or table.
public protocol FlatBufferEditableElement: NonisolatedByDefault {
  /// The distance between two elements of a vector in bytes: the element's size, or 4 if the vector holds offsets.
  static var editorStride: Int { get }

  /// Returns the element at `position`, which lies inside `window`, a view of `bytes`.
  static func editorElement(in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int) -> Self
}

/// An editor for the tables of one schema type. Generated code conforms to it.
public protocol FlatBufferTableEditorView: FlatBufferEditableElement {
  /// Wraps `editor` as this type.
  init(_ editor: FlatBufferTableEditor)
}

extension FlatBufferTableEditorView {
  /// The root table of the FlatBuffer in `bytes`; nil if it cannot be read.
  public init?(root bytes: EditableFlatBuffer, sizePrefixed: Bool = false) {
    guard let editor = FlatBufferTableEditor(rootOf: bytes, sizePrefixed: sizePrefixed) else { return nil }
    self.init(editor)
  }

  /// 4, the size of an offset.
  public static var editorStride: Int { 4 }

  /// Returns the table that the offset at `position` refers to; an empty table if it cannot be read.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    Self(FlatBufferTableEditor(FlatBufferTable(referredToAt: position, in: window) ?? .empty, of: bytes))
  }
}

/// An editor for the structs of one schema type. Generated code conforms to it.
public protocol FlatBufferStructEditorView: FlatBufferEditableElement {
  /// The struct's fields as a value.
  associatedtype Value: FlatBufferStructWritable

  /// Wraps `editor` as this type.
  init(_ editor: FlatBufferStructEditor)

  /// The wrapped editor. The underscore avoids a clash with a field of the schema.
  var _editor: FlatBufferStructEditor { get }
}

extension FlatBufferStructEditorView {
  /// Overwrites all fields with those of `value`. Writes nothing if the struct could not be read.
  ///
  /// A fixed array of `value` with more elements than the schema allows stops the program.
  public func replace(with value: Value) {
    _editor.replace(with: value)
  }

  /// The size of the struct in bytes.
  public static var editorStride: Int { Value.byteSize }

  /// Returns the struct at `position`.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    Self(
      FlatBufferStructEditor(
        FlatBufferStruct(in: window, at: position, size: Value.byteSize) ?? .empty, of: bytes))
  }
}

/// An editor for the unions of one schema type. Generated code conforms to it.
public protocol FlatBufferUnionEditorView: NonisolatedByDefault {
  /// The type of the type codes.
  associatedtype _TypeCode: FlatBufferUnionCode = UInt8

  /// Wraps `member` as the type with the type code `code`; nil if `code` is 0 or the member cannot be read.
  init?(code: _TypeCode, member: FlatBufferUnionMemberEditor)
}

extension FlatBufferEditableElement where Self: FlatBufferScalar {
  /// The size of a value in bytes.
  public static var editorStride: Int { vectorStride }

  /// Returns the value at `position`.
  public static func editorElement(
    in window: FlatBufferWindow, of bytes: EditableFlatBuffer, at position: Int
  ) -> Self {
    bytes.load(Self.self, at: position)
  }
}

extension FlatBufferEditableElement where Self: FlatBufferEnumValue {
  /// The size of the raw value in bytes.
  public static var editorStride: Int { vectorStride }

  /// Returns the value at `position`.
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
