import BufferJobs
import FBSSchema
import FlatBuffersJSON
import FuzzSupport

/// Any bytes as a FlatBuffer to make JSON of, or as JSON to make a FlatBuffer of. For one thread.
public final class JSONJob {
  private struct Texts: SourceProvider {
    func read(_ path: String) throws(SourceReadError) -> [UInt8] {
      guard path == "everything.fbs" else { throw .notFound }
      return Array(everythingSchema.utf8)
    }
  }

  private var resolver: ObjectResolver
  private let converter: FlatBufferJSON
  private let root: TableID
  /// How many objects `resolver` has read. It keeps their names.
  private var objects = 0

  /// The largest JSON, in bytes: few bytes that refer to the same values again and again would take all the time.
  private static let maximumSize = 1 << 16

  /// - Throws: if the schema of the job is wrong.
  public init() throws(Mistake) {
    resolver = ObjectResolver(inputs: ["everything.fbs"], provider: Texts())
    let schema = resolver.compilation.schema
    guard resolver.compilation.isValid, let root = schema.files.first?.rootTable else {
      throw Mistake("the schema is wrong")
    }
    self.root = root
    converter = FlatBufferJSON(schema)
  }

  /// Makes JSON of `bytes`, if they are a valid buffer.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public func print(_ bytes: [UInt8]) throws(Mistake) { _ = try text(of: bytes) }

  /// Converts `bytes`, and back.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public func run(_ bytes: [UInt8]) throws(Mistake) {
    if bytes.first == UInt8(ascii: "{") {
      guard let buffer = try buffer(of: bytes), let text = try text(of: buffer) else { return }
      guard try self.buffer(of: text) == buffer else { throw Mistake("a buffer's JSON gives another buffer") }
    } else if let text = try text(of: bytes), let buffer = try buffer(of: text) {
      guard try self.text(of: buffer) == text else { throw Mistake("the JSON of a JSON's buffer is another text") }
    }
  }

  /// The JSON of a buffer; nil if that is none, or one of more JSON than a fuzzer has time for.
  private func text(of bytes: [UInt8]) throws(Mistake) -> [UInt8]? {
    let isValid = WireFormatJob.isValid(bytes)
    let options = JSONOptions(
      allowsInvalidUTF8: true, hasExactNumbers: true, unknownMembers: .refuse, maximumSize: JSONJob.maximumSize)
    let text: [UInt8]
    do throws(BufferFault) {
      text = try converter.json(from: bytes, as: root, options: options)
    } catch {
      switch error.reason {
      // The format allows these, and flatc prints no JSON of them either.
      case .textTooLarge, .tooMuch, .unknownMember, .untypedUnion: return nil
      default:
        if isValid { throw Mistake("no JSON of a valid buffer: \(error)") }
        return nil
      }
    }
    guard isValid else { throw Mistake("JSON of a buffer that is not valid") }
    return text
  }

  /// The buffer of a JSON text; nil if that is wrong.
  private func buffer(of text: [UInt8]) throws(Mistake) -> [UInt8]? {
    objects += 1
    if objects % 10_000 == 0 { resolver = ObjectResolver(inputs: ["everything.fbs"], provider: Texts()) }
    let options = ObjectResolver.Options(allowsInvalidUTF8: true)
    let result = resolver.resolve(json: text, path: "data.json", as: root, options: options)
    guard let object = result.object else {
      guard !result.diagnostics.isEmpty else { throw Mistake("an object is refused without a word") }
      return nil
    }
    // A number stays where it is the default, so that nothing of the text is lost.
    guard let buffer = try? converter.binary(from: object, forcesDefaults: true).bytes else { return nil }
    guard WireFormatJob.isValid(buffer) else { throw Mistake("JSON gives a damaged buffer") }
    return buffer
  }
}
