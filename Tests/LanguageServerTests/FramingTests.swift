import LanguageServer
import Testing

@Suite("The framing of messages")
struct FramingTests {
  @Test("A message arrives whole, however the stream is cut")
  func chunks() {
    let stream =
      MessageFraming.frame(Array("{}".utf8)) + MessageFraming.frame(Array("äöü".utf8))
      + Array("content-type: x\r\nCONTENT-LENGTH:  1 \r\n\r\nx".utf8)
    for size in 1...stream.count {
      var framing = MessageFraming()
      var bodies: [[UInt8]] = []
      var start = 0
      while start < stream.count {
        bodies += framing.append(stream[start..<min(stream.count, start + size)])
        start += size
      }
      #expect(bodies.map { String(decoding: $0, as: UTF8.self) } == ["{}", "äöü", "x"], "\(size)")
    }
  }

  @Test(
    "Malformed headers are an error",
    arguments: [
      "\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length\r\n\r\n",
      "Content-Length: 99999999999999999999\r\n\r\n", "X: y\r\n\r\n", String(repeating: "x", count: 20_000),
    ])
  func malformed(_ text: String) {
    var framing = MessageFraming()
    #expect(framing.append(Array(text.utf8)).isEmpty)
    #expect(framing.failure?.reason.isEmpty == false)
    #expect(framing.append(MessageFraming.frame(Array("{}".utf8))).isEmpty)
  }

  @Test(
    "The messages before malformed headers arrive, however the stream is cut",
    arguments: ["X\r\n", "\r\n", "a:" + String(repeating: "x", count: 20_000) + "\r\nContent-Length: 1\r\n\r\nx"])
  func malformedLater(_ text: String) {
    let stream = MessageFraming.frame(Array("{}".utf8)) + Array(text.utf8)
    var reasons: Set<String> = []
    for size in [1, 2, 7, stream.count - 1, stream.count] {
      var framing = MessageFraming()
      var bodies: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        bodies += framing.append(stream[start..<min(stream.count, start + size)])
      }
      #expect(bodies == [Array("{}".utf8)], "\(size)")
      reasons.insert(framing.failure?.reason ?? "")
    }
    #expect(reasons.count == 1 && reasons != [""])
  }
}
