/// Splits a stream of bytes into the messages of the base protocol: headers, an empty line, and a body of `Content-Length` bytes.
public struct MessageFraming {
  /// The error of a stream that is no sequence of messages.
  public struct Failure: Error, Hashable {
    /// The reason for the error, as part of a sentence.
    public let reason: String
  }

  /// The greatest length of a body in bytes. An editor that opens a file of 100 MB sends a longer body, because of
  /// escapes.
  public static let maximumLength = 1 << 30
  /// The greatest length of a header in bytes.
  private static let maximumHeader = 1 << 14

  /// The reason why nothing after the last message can be read; nil while the headers are well-formed.
  public private(set) var failure: Failure?

  private var buffer: [UInt8] = []
  private var start = 0
  /// The offset at which the body begins, and its length, once the headers are read.
  private var body: (start: Int, length: Int)?

  /// Creates the framing of a stream of Language Server Protocol messages that has not been read yet.
  public init() {}

  /// Adds bytes that were read, and returns the bodies of the messages that are complete now.
  ///
  /// Malformed headers set `failure`. Message boundaries are unknown then, and further bytes are ignored.
  public mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
    guard failure == nil else { return [] }
    buffer.append(contentsOf: bytes)
    var bodies: [[UInt8]] = []
    do throws(Failure) {
      while let next = try next() { bodies.append(next) }
    } catch {
      failure = error
    }
    // The buffer is moved only when most of it was read, so that long messages are not moved for each chunk.
    if start > buffer.count / 2 {
      buffer.removeFirst(start)
      if let (bodyStart, length) = body { body = (bodyStart - start, length) }
      start = 0
    }
    return bodies
  }

  /// Returns a message: a body with its headers before it.
  public static func frame(_ body: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  private mutating func next() throws(Failure) -> [UInt8]? {
    if body == nil { body = try readHeaders() }
    guard let (bodyStart, length) = body, buffer.count - bodyStart >= length else { return nil }
    let message = Array(buffer[bodyStart..<bodyStart + length])
    start = bodyStart + length
    body = nil
    return message
  }

  private func readHeaders() throws(Failure) -> (start: Int, length: Int)? {
    var length: Int?
    var line = start
    var index = start
    while index < buffer.count {
      guard buffer[index] == UInt8(ascii: "\n") else {
        index += 1
        continue
      }
      let end = index > line && buffer[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
      let text = String(decoding: buffer[line..<end], as: UTF8.self)
      index += 1
      line = index
      guard index - start <= Self.maximumHeader else { throw Self.endlessHeaders }
      if text.isEmpty {
        guard let length else { throw Failure(reason: "a message has no Content-Length") }
        return (index, length)
      }
      guard let colon = text.firstIndex(of: ":") else { throw Failure(reason: "a header has no colon") }
      guard text[..<colon].lowercased() == "content-length" else { continue }
      let value = text[text.index(after: colon)...].trimmingBlanks
      guard let number = Int(value), (0...Self.maximumLength).contains(number) else {
        throw Failure(reason: "Content-Length is \(value.prefix(32))")
      }
      length = number
    }
    guard buffer.count - start <= Self.maximumHeader else { throw Self.endlessHeaders }
    return nil
  }

  private static let endlessHeaders = Failure(reason: "the headers of a message do not end")
}

extension Substring {
  /// The text without spaces and tabs around it.
  fileprivate var trimmingBlanks: String {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
