import FBSDiagnostics
import ConformanceSupport
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation
import TestSupport
import Testing

/// A schema that data is converted by, here and by the C++ library.
struct JSONSchema {
  let resolver: ObjectResolver
  let converter: FlatBufferJSON
  let root: TableID
  let identifier: String?

  var schema: Schema { resolver.compilation.schema }
  var rootName: String { schema[root].name.description }

  /// - Parameter root: nil for the root type.
  init(_ files: [(name: String, text: String)], root: String? = nil) throws {
    let inputs = files.last.map { [$0.name] } ?? []
    resolver = ObjectResolver(inputs: inputs, provider: SchemaTexts(files))
    let errors = resolver.compilation.diagnostics.filter { $0.severity == .error }.map(\.message)
    try #require(errors.isEmpty, "\(errors)")
    converter = FlatBufferJSON(resolver.compilation.schema)
    let file = try #require(resolver.compilation.schema.files.first { $0.isInput })
    let named = root.flatMap { [converter] in converter.layouts.table(named: $0) }
    self.root = try #require(root == nil ? file.rootTable : named)
    identifier = file.fileIdentifier
  }

  init(_ text: String, root: String? = nil) throws {
    try self.init([("schema.fbs", text)], root: root)
  }

  /// The FlatBuffer of a JSON object, or what is wrong with it.
  func binary(
    _ json: String, _ options: ObjectResolver.Options = .init(), sizePrefixed: Bool = false,
    forcesDefaults: Bool = false
  ) -> (bytes: [UInt8]?, diagnostics: [Diagnostic]) {
    let text = Array(json.utf8)
    let result = resolver.resolve(json: text, path: "data.json", as: root, options: options)
    let bytes = result.object.flatMap {
      try? converter.binary(
        from: $0, identifier: identifier, sizePrefixed: sizePrefixed, forcesDefaults: forcesDefaults
      ).bytes
    }
    let plain = converter.binary(
      fromPlain: text, as: root, options: options, identifier: identifier, sizePrefixed: sizePrefixed,
      forcesDefaults: forcesDefaults)
    // What is read without a tree is the same, and brings no diagnostic.
    if let plain { #expect(plain.bytes == bytes && result.diagnostics.isEmpty, "\(json) \(result.diagnostics)") }
    return (bytes, result.diagnostics)
  }

  /// The JSON of a FlatBuffer, or what is wrong with it.
  func json(
    _ bytes: [UInt8], _ options: JSONOptions = .init(), sizePrefixed: Bool = false
  ) -> Result<String, BufferFault> {
    Result { () throws(BufferFault) in
      String(
        decoding: try converter.json(from: bytes, as: root, sizePrefixed: sizePrefixed, options: options),
        as: UTF8.self)
    }
  }
}

/// Writes the files of a schema for the C++ library, and gives `body` the path of the last one.
func withFiles<T>(_ files: [(name: String, text: String)], _ body: (URL) throws -> T) throws -> T {
  try withTemporaryFolder { folder in
    for file in files { try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name)) }
    return try body(folder.appendingPathComponent(files[files.count - 1].name))
  }
}

extension String {
  init(_ bytes: [UInt8]) { self = String(decoding: bytes, as: UTF8.self) }
}
