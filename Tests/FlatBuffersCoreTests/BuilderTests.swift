import FlatBuffersCore
import Testing

@Suite("What is written is what is read")
struct RoundTripTests {
  @Test("A random object reads as it was written, and verifies")
  func roundTrip() throws {
    for seed in 0..<500 as Range<UInt64> {
      let object = Everything(seed: seed)
      let buffer = object.buffer(forceDefaults: seed % 3 == 0)
      try buffer.verify(as: EverythingView.self, fileIdentifier: "EVRY")
      let view = try #require(EverythingView(root: buffer))
      #expect(Everything(view) == object, "seed \(seed)")
    }
  }
}
