import FBSDiagnostics

/// A file of Protocol Buffers, as far as a schema can express it.
public struct ProtoFile: Sendable {
  struct Field: Sendable {
    enum Label: Sendable { case none, optional, required, repeated }

    let label: Label
    /// The type as it is written; for a map, the type of its values.
    let type: String
    /// The type of a map's keys.
    let keyType: String?
    let name: String
    let number: Int
    let options: [String: String]
    let oneof: String?
    let comments: [String]
    let range: SourceRange
  }

  struct Message: Sendable {
    let name: String
    var fields: [Field] = []
    /// The names of the oneofs, in their order.
    var oneofs: [String] = []
    var messages: [Message] = []
    var enums: [Enumeration] = []
    let comments: [String]
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
    let comments: [String]
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
    let comments: [String]
    let range: SourceRange
  }

  /// A part of the file that a schema cannot express, and its place.
  public struct Note: Hashable, Sendable {
    /// The place.
    public let range: SourceRange
    /// A line for people that says which part the schema leaves out or changes.
    public let text: String
  }

  /// Why a text is no file of Protocol Buffers.
  public struct Mistake: Error, Hashable, Sendable {
    /// The place.
    public let range: SourceRange
    /// The message.
    public let message: String
  }

  var package = ""
  /// The paths of the imported files.
  public internal(set) var imports: [String] = []
  var messages: [Message] = []
  var enums: [Enumeration] = []
  var services: [Service] = []
  var notes: [Note] = []

  /// The schema's names of all messages and enums, by their names with the package. A nested type stands beside the
  /// type that contains it, and its name joins both names.
  var typeNames: [String: String] {
    let prefix = package.isEmpty ? "" : package + "."
    var names: [String: String] = [:]
    func add(_ message: Message, _ outer: [String]) {
      let path = outer + [message.name]
      names[prefix + path.joined(separator: ".")] = prefix + path.joined(separator: "_")
      for inner in message.enums {
        names[prefix + (path + [inner.name]).joined(separator: ".")] =
          prefix + (path + [inner.name]).joined(separator: "_")
      }
      for inner in message.messages { add(inner, path) }
    }
    for message in messages { add(message, []) }
    for item in enums { names[prefix + item.name] = prefix + item.name }
    return names
  }

  /// The first value of each enum, by the enum's name with the package.
  var firstValues: [String: Enumeration.Value] {
    let prefix = package.isEmpty ? "" : package + "."
    var values: [String: Enumeration.Value] = [:]
    func add(_ items: [Enumeration], _ outer: [String]) {
      for item in items {
        let name = prefix + (outer + [item.name]).joined(separator: ".")
        // A field without a default has the value for 0, or else the first one.
        values[name] = item.values.first { $0.number == 0 } ?? item.values.first
      }
    }
    func add(_ message: Message, _ outer: [String]) {
      add(message.enums, outer + [message.name])
      for inner in message.messages { add(inner, outer + [message.name]) }
    }
    add(enums, [])
    for message in messages { add(message, []) }
    return values
  }
}
