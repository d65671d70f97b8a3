import FBSSchema

/// A file, and none that it may include.
struct OneFile: SourceProvider {
  static let path = "a.fbs"
  let bytes: [UInt8]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard path == OneFile.path else { throw .notFound }
    return bytes
  }

  func compiled() -> Compilation {
    SchemaCompiler.compile(inputs: [OneFile.path], provider: self)
  }
}
