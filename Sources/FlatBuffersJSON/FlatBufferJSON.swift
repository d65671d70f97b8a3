import FBSDiagnostics
import FBSParser
import FBSSchema

/// Converts FlatBuffers to JSON and back, by a schema, as flatc does.
public struct FlatBufferJSON: Sendable {
  /// The byte layouts of the schema's objects.
  public let layouts: SchemaLayouts
  private let plain: PlainLayouts

  /// Creates a converter for a valid schema.
  public init(_ schema: Schema) {
    layouts = SchemaLayouts(schema)
    plain = PlainLayouts(layouts)
  }

  /// Returns the JSON of a FlatBuffer. The bytes may be anything: they are verified first.
  /// - Parameters:
  ///   - root: the table of the root object.
  ///   - identifier: the file identifier that the buffer must have; nil accepts any, or none.
  ///   - sizePrefixed: whether the buffer has a size prefix.
  /// - Throws: the first fault, with its field and position.
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

  /// Verifies a FlatBuffer, and returns it so that its fields can be read.
  /// - Throws: the first fault, with its field and position.
  public func object(_ bytes: [UInt8], as root: TableID) throws(BufferFault) -> VerifiedObject {
    let bytes = WireBytes(bytes)
    var verifier = BufferVerifier(bytes, layouts)
    let position = try verifier.verify(root: root, identifier: nil, sizePrefixed: false)
    return VerifiedObject(bytes: bytes, position: position, table: root, layouts: layouts)
  }

  /// Verifies a FlatBuffer.
  /// - Throws: the first fault, with its field and position.
  public func verify(
    _ bytes: [UInt8], as root: TableID, identifier: String? = nil, sizePrefixed: Bool = false
  ) throws(BufferFault) {
    var verifier = BufferVerifier(WireBytes(bytes), layouts)
    _ = try verifier.verify(root: root, identifier: identifier, sizePrefixed: sizePrefixed)
  }

  /// Returns the FlatBuffer of a JSON object, if its text is plain: without mistakes, warnings and unusual forms. It is
  /// written while the text is read, in little more memory than the result takes.
  /// - Parameters:
  ///   - options: the way the object is read: see `ObjectResolver`.
  ///   - identifier: the file identifier to write: four bytes.
  ///   - sizePrefixed: whether to write a size prefix.
  ///   - forcesDefaults: whether numbers are written that equal their default.
  /// - Returns: nil if the text is not plain. Then `ObjectResolver` has to read it, which also reports mistakes.
  public func binary(
    fromPlain text: [UInt8], as root: TableID, options: ObjectResolver.Options = .init(), identifier: String? = nil,
    sizePrefixed: Bool = false, forcesDefaults: Bool = false
  ) -> EncodedFlatBuffer? {
    // A FlatBuffer is seldom much larger than its JSON. Unused memory stays untouched.
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

  /// Returns the FlatBuffer of a JSON object that was resolved by the same schema.
  /// - Parameters:
  ///   - identifier: the file identifier to write: four bytes.
  ///   - sizePrefixed: whether to write a size prefix.
  ///   - forcesDefaults: whether numbers are written that equal their default.
  /// - Throws: `ObjectTooLarge`, with the position, if the object is larger than a FlatBuffer can be.
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

/// The error of an object, or a table in it, that is larger than a FlatBuffer can hold.
public struct ObjectTooLarge: Error {
  /// The diagnostic with the object and its position.
  public let diagnostic: Diagnostic

  init(_ message: String, at range: SourceRange, advice: String) {
    diagnostic = Diagnostic(.tooLarge, .error, message, at: range, advice: advice)
  }
}
