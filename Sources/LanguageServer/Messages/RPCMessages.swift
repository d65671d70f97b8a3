import Foundation

/// The id of a request: a number or a string.
enum RequestID: Hashable, Codable {
  case number(Int)
  case string(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // For other JSON, the second attempt throws.
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    }
  }
}

/// The reason why a request has no result.
struct RPCError: Error, Encodable, Hashable {
  /// The data of an error for a client that has requested diagnostics and does not get them.
  struct CancellationData: Encodable, Hashable {
    /// Whether the client has to ask again.
    let retriggerRequest: Bool
  }

  let code: Int
  let message: String
  var data: CancellationData?

  static func invalidParams(_ message: String) -> RPCError { RPCError(code: -32602, message: message) }
  static func methodNotFound(_ method: String) -> RPCError {
    RPCError(code: -32601, message: "there is no method \(method)")
  }
  /// Returns the error of a well-formed request that cannot be carried out.
  static func failed(_ message: String) -> RPCError { RPCError(code: -32803, message: message) }
  static let parseError = RPCError(code: -32700, message: "the message is not JSON")
  static let invalidRequest = RPCError(code: -32600, message: "the message is no request, notification or response")
  static let notInitialized = RPCError(code: -32002, message: "`initialize` comes first")
  static let shutDown = RPCError(code: -32600, message: "the server is shut down")
  static let cancelled = RPCError(code: -32800, message: "the request was cancelled")
  /// The error of a request for diagnostics that the client has repeated. `contentModified` would be wrong here: VS Code
  /// takes it for a document without diagnostics.
  static let repeated = RPCError(
    code: -32802, message: "the client has asked again", data: CancellationData(retriggerRequest: false))
  static let contentModified = RPCError(code: -32801, message: "the document changed meanwhile")
}

/// The envelope of a message, which tells its kind. The parameters are decoded later, as the method's type.
struct IncomingMessage: Decodable {
  let id: RequestID?
  let method: String?
  /// The URI of the document that the message is about; nil if it is about none.
  let uri: String?

  private enum Key: CodingKey { case id, method, params }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    id = try container.decodeIfPresent(RequestID.self, forKey: .id)
    method = try container.decodeIfPresent(String.self, forKey: .method)
    // Parameters of other forms are no mistake.
    uri = try? container.decode(DocumentParams.self, forKey: .params).textDocument.uri
  }
}

/// The parameters of a message.
struct IncomingParams<Params: Decodable>: Decodable {
  let params: Params
}

/// Empty or ignored parameters.
struct NoParams: Codable {}

/// An answer with a result, which may be null.
struct ResultMessage<Result: Encodable>: Encodable {
  let id: RequestID
  let result: Result

  private enum Key: CodingKey { case jsonrpc, id, result }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("2.0", forKey: .jsonrpc)
    try container.encode(id, forKey: .id)
    try container.encode(result, forKey: .result)
  }
}

/// An answer with an error. Its id is null if the id of the request is not known.
struct ErrorMessage: Encodable {
  let id: RequestID?
  let error: RPCError

  private enum Key: CodingKey { case jsonrpc, id, error }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("2.0", forKey: .jsonrpc)
    try container.encode(id, forKey: .id)
    try container.encode(error, forKey: .error)
  }
}

/// A request or notification of the server.
struct OutgoingMessage<Params: Encodable>: Encodable {
  var jsonrpc = "2.0"
  var id: RequestID?
  let method: String
  let params: Params
}

/// Decodes the bodies of JSON-RPC messages from JSON, and encodes them as JSON.
enum RPCCoding {
  static func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(body))
  }

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }
}
