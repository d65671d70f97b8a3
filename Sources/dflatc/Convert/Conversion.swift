import FBSDiagnostics
import FBSSchema
import FlatBuffersJSON

/// Converts the data of one run.
struct Conversion {
  let resolver: ObjectResolver
  let converter: FlatBufferJSON
  /// The root table of the data.
  let root: TableID
  let identifier: String?
  /// The file extension for FlatBuffers of the root table.
  let fileExtension: String
  let arguments: Convert

  /// Returns the JSON of a FlatBuffer. Reports why there is none, and returns nil, if it cannot be shown.
  func json(_ bytes: [UInt8], _ path: String) -> [UInt8]? {
    var options = JSONOptions(
      indentation: arguments.compact ? nil : 2, isStrict: arguments.strictJson,
      writesDefaults: arguments.defaultsJson, hasNaturalUTF8: arguments.naturalUtf8,
      allowsInvalidUTF8: arguments.allowNonUtf8, hasExactNumbers: arguments.exactNumbers)
    options.showsValues = arguments.showValues
    do throws(BufferFault) {
      let text = try converter.json(
        from: bytes, as: root, identifier: arguments.rawBinary ? nil : identifier,
        sizePrefixed: arguments.sizePrefixed, options: options)
      return arguments.compact ? text + [UInt8(ascii: "\n")] : text
    } catch {
      let name = resolver.compilation.schema[root].name
      Terminal.printError("error: \(path) is not a FlatBuffer of `\(name)` that can be shown: \(error)")
      if let hint = hint(for: error.reason) { Terminal.printError("  = note: \(hint)") }
      return nil
    }
  }

  private func hint(for reason: BufferFault.Reason) -> String? {
    switch reason {
    case .wrongIdentifier: "--raw-binary reads it nevertheless; --size-prefixed, if its size stands before it"
    case .invalidUTF8: "--allow-non-utf8 writes such bytes as \\xNN"
    case .unknownMember: "a newer schema may know it"
    case .textTooLarge, .tooMuch: "it refers to the same values again and again, as bytes that were made to do harm do"
    case .wrongSizePrefix: "without --size-prefixed, no size stands before the data"
    default: nil
    }
  }

  private var reading: ObjectResolver.Options {
    ObjectResolver.Options(
      isStrict: arguments.strictJson, ignoresUnknownFields: arguments.unknownJson,
      allowsInvalidUTF8: arguments.allowNonUtf8)
  }

  /// Returns the FlatBuffer of a JSON object. Reports the mistakes, and returns nil, if the object is wrong.
  func binary(_ bytes: [UInt8], _ path: String) -> EncodedFlatBuffer? {
    let plain = converter.binary(
      fromPlain: bytes, as: root, options: reading, identifier: identifier, sizePrefixed: arguments.sizePrefixed,
      forcesDefaults: arguments.forceDefaults)
    guard let plain else { return encode(resolver.resolve(json: bytes, path: path, as: root, options: reading)) }
    if arguments.format != .text { arguments.format.show([], in: resolver.compilation.sources, all: false) }
    return plain
  }

  /// Returns the FlatBuffer of the object at the end of a schema file. Reports the mistakes, and returns nil, if the
  /// object is wrong.
  func binary(ofObjectIn file: FileID) -> EncodedFlatBuffer? {
    resolver.resolveObject(endOf: file, options: reading).flatMap(encode)
  }

  private func encode(_ result: ObjectResolver.Result) -> EncodedFlatBuffer? {
    if !result.diagnostics.isEmpty || arguments.format != .text {
      arguments.format.show(result.diagnostics, in: result.sources, all: false)
    }
    guard let object = result.object else { return nil }
    do throws(ObjectTooLarge) {
      return try converter.binary(
        from: object, identifier: identifier, sizePrefixed: arguments.sizePrefixed,
        forcesDefaults: arguments.forceDefaults)
    } catch {
      arguments.format.show([error.diagnostic], in: result.sources, all: false)
      return nil
    }
  }
}
