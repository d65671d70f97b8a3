import FBSDiagnostics
import FBSParser
import FBSSchema

/// FlatBuffers to JSON, and back, by a schema: as flatc does it.
public struct FlatBufferJSON: Sendable {
  /// How the objects of the schema stand in bytes.
  public let layouts: SchemaLayouts
  private let plain: PlainLayouts

  /// Converts by a valid schema.
  public init(_ schema: Schema) {
    layouts = SchemaLayouts(schema)
    plain = PlainLayouts(layouts)
  }

  /// The JSON of a FlatBuffer, which may be any bytes: they are verified first.
  /// - Parameters:
  ///   - root: The table that the root is.
  ///   - identifier: The file identifier that the buffer must have. Nothing accepts any, or none.
  ///   - sizePrefixed: Whether the size of the buffer stands before it.
  /// - Throws: what is wrong first, with its field and position.
  public func json(
    from bytes: [UInt8], as root: TableID, identifier: String? = nil, sizePrefixed: Bool = false,
    options: JSONOptions = JSONOptions()
  ) throws(BufferFault) -> [UInt8] {
    let bytes = WireBytes(bytes)
    var verifier = BufferVerifier(bytes, layouts)
    let position = try verifier.verify(root: root, identifier: identifier, sizePrefixed: sizePrefixed)
    var printer = ObjectPrinter(bytes, layouts, options)
    try printer.print(root, at: position)
    return printer.text
  }

  /// Verifies a FlatBuffer, for its fields to be read.
  /// - Throws: what is wrong first, with its field and position.
  public func object(_ bytes: [UInt8], as root: TableID) throws(BufferFault) -> VerifiedObject {
    let bytes = WireBytes(bytes)
    var verifier = BufferVerifier(bytes, layouts)
    let position = try verifier.verify(root: root, identifier: nil, sizePrefixed: false)
    return VerifiedObject(bytes: bytes, position: position, table: root, layouts: layouts)
  }

  /// Verifies a FlatBuffer.
  /// - Throws: what is wrong first, with its field and position.
  public func verify(
    _ bytes: [UInt8], as root: TableID, identifier: String? = nil, sizePrefixed: Bool = false
  ) throws(BufferFault) {
    var verifier = BufferVerifier(WireBytes(bytes), layouts)
    _ = try verifier.verify(root: root, identifier: identifier, sizePrefixed: sizePrefixed)
  }

  /// The FlatBuffer of a JSON object, if its text is plain: without mistakes, warnings and unusual forms. It is written while
  /// the text is read, in memory for little more than the result.
  /// - Parameters:
  ///   - options: How the object is read: see `ObjectResolver`.
  ///   - identifier: The file identifier to write: four bytes.
  ///   - sizePrefixed: Whether to write the size of the buffer before it.
  ///   - forcesDefaults: Whether numbers are written that are their default.
  /// - Returns: nil if the text is to be read by `ObjectResolver`, which tells what is wrong with it, if anything is.
  public func binary(
    fromPlain text: [UInt8], as root: TableID, options: ObjectResolver.Options = .init(), identifier: String? = nil,
    sizePrefixed: Bool = false, forcesDefaults: Bool = false
  ) -> EncodedFlatBuffer? {
    // A FlatBuffer is seldom much larger than its JSON. What is not needed of the memory stays untouched.
    let builder = BackwardBuilder(capacity: text.count + text.count / 4 + 1024)
    let offset = text.withUnsafeBufferPointer { bytes in
      Result { () throws(NotPlain) in
        var encoder = PlainEncoder(
          plain, builder, PlainText(bytes, of: text, options), forcesDefaults: forcesDefaults)
        _ = encoder.text.next()
        let root = try encoder.table(root)
        try encoder.text.expectEnd()
        return root
      }
    }
    guard case .success(let root) = offset else { return nil }
    let buffer = builder.finish(root, identifier: identifier, sizePrefixed: sizePrefixed)
    return buffer.count < Int(Int32.max) ? buffer : nil
  }

  /// The FlatBuffer of a JSON object that was read by the same schema.
  /// - Parameters:
  ///   - identifier: The file identifier to write: four bytes.
  ///   - sizePrefixed: Whether to write the size of the buffer before it.
  ///   - forcesDefaults: Whether numbers are written that are their default.
  /// - Throws: where the object is larger than a FlatBuffer can be.
  public func binary(
    from object: ResolvedObject, identifier: String? = nil, sizePrefixed: Bool = false, forcesDefaults: Bool = false
  ) throws(ObjectTooLarge) -> EncodedFlatBuffer {
    var encoder = ObjectEncoder(object, layouts, forcesDefaults: forcesDefaults)
    let root = try encoder.table(0, object.root)
    let buffer = encoder.builder.finish(root, identifier: identifier, sizePrefixed: sizePrefixed)
    guard buffer.count < Int(Int32.max) else {
      throw ObjectTooLarge(
        "the object has 2 GiB or more, and a FlatBuffer less", at: object.tree.range(of: 0),
        advice: "split it into several")
    }
    return buffer
  }
}

/// An object, or a table in it, that is larger than a FlatBuffer can hold.
public struct ObjectTooLarge: Error {
  /// What is too large, and where it stands.
  public let diagnostic: Diagnostic

  init(_ message: String, at range: SourceRange, advice: String) {
    diagnostic = Diagnostic(.tooLarge, .error, message, at: range, advice: advice)
  }
}
