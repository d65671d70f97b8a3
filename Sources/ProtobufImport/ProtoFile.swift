import FBSDiagnostics

/// A file of Protocol Buffers, as far as a schema can express it.
public struct ProtoFile: Sendable {
  struct Field: Sendable {
    enum Label: Sendable { case none, optional, required, repeated }

    var label: Label
    /// The type as it is written; for a map, the type of its values.
    let type: String
    /// The type of a map's keys.
    let keyType: String?
    let name: String
    let number: Int
    /// By their names.
    let options: [String: Option]
    /// The name of the oneof that has the field.
    let oneof: String?
    let comments: [String]
    let range: SourceRange
  }

  /// The value of an option.
  struct Option: Sendable {
    /// The value as it is written.
    let text: String
    /// The bytes that its strings stand for; nil if it is not made of strings alone.
    let string: [UInt8]?
  }

  struct Oneof: Sendable {
    let name: String
    let comments: [String]
    let range: SourceRange
  }

  struct Message: Sendable {
    let name: String
    var fields: [Field] = []
    /// In the order of the text.
    var oneofs: [Oneof] = []
    var messages: [Message] = []
    var enums: [Enumeration] = []
    var comments: [String]
    let range: SourceRange
  }

  struct Enumeration: Sendable {
    struct Value: Sendable {
      let name: String
      let number: Int
      let comments: [String]
      let range: SourceRange
    }

    let name: String
    var values: [Value] = []
    var comments: [String]
    let range: SourceRange
  }

  struct Method: Sendable {
    let name: String
    let request: String
    let response: String
    let streamsRequest: Bool
    let streamsResponse: Bool
    let comments: [String]
    let range: SourceRange
  }

  struct Service: Sendable {
    let name: String
    var methods: [Method] = []
    var comments: [String]
    let range: SourceRange
  }

  /// A part of the file that a schema cannot express, and its place.
  public struct Note: Hashable, Sendable {
    /// The range of the part in the file's text.
    public let range: SourceRange
    /// A line for people that says which part the schema leaves out or changes.
    public let text: String
  }

  /// The reason why a text is no file of Protocol Buffers.
  public struct Mistake: Error, Hashable, Sendable {
    /// The range of the mistake in the text.
    public let range: SourceRange
    /// The message of the diagnostic.
    public let message: String

    /// A mistake that is not in the text itself.
    public init(range: SourceRange, message: String) {
      self.range = range
      self.message = message
    }

    /// The mistake as a diagnostic.
    public var diagnostic: Diagnostic {
      Diagnostic(ProtoCode.malformed, .error, message, at: range, advice: "correct it: `protoc` refuses it, too")
    }
  }

  /// An import of another file.
  public struct Import: Sendable {
    /// The path, from a folder in which files are looked for.
    public let path: String
    /// The place of the path.
    public let range: SourceRange
  }

  var package = ""
  /// The imports of other files, but for those of google.protobuf, whose types have counterparts of their own, and those for
  /// options alone.
  public internal(set) var imports: [Import] = []
  var messages: [Message] = []
  var enums: [Enumeration] = []
  var services: [Service] = []
  var notes: [Note] = []
}
