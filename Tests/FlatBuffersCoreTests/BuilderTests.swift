import FlatBuffersCore
import Testing

@Suite("What is written is what is read")
struct RoundTripTests {
  @Test("A random object reads as it was written, and verifies", arguments: 0..<200)
  func roundTrip(seed: UInt64) throws {
    let object = Everything(seed: seed)
    let buffer = object.buffer()
    try buffer.verify(as: EverythingView.self, fileIdentifier: "EVRY")
    let view = try #require(EverythingView(root: buffer))
    #expect(Everything(view) == object)
  }
}
