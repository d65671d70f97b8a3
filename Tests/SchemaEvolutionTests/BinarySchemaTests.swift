import ConformanceSupport
import Emitters
import FBSSchema
import SchemaEvolution
import Testing

@Suite("Binary schemas as a side of a check")
struct BinarySchemaTests {
  private func binary(_ version: SchemaVersion) throws -> [UInt8] {
    let emitters = EmitterRegistry.all.filter { $0.name == "bfbs" }
    let generator = Generator(schema: version.schema, emitters: emitters)
    return try #require(try generator.files().first).content
  }

  @Test("The text of a random schema's binary form means the same")
  func roundTrip() throws {
    var count = 0
    for seed in 1...150 {
      var random = Random(seed: seed)
      guard let schema = try? version(SchemaModel.random(&random).text()) else { continue }
      let text = try BinarySchema.text(of: try binary(schema))
      let read = try version(["a.fbs": text], binary: true)
      for found in [
        SchemaEvolution.compare(old: schema, new: read), SchemaEvolution.compare(old: read, new: schema),
      ] {
        #expect(found.isEmpty, "seed \(seed): \(found.map(\.message))\n\(text)")
      }
      count += 1
    }
    #expect(count > 75)
  }

  @Test("Damaged bytes are refused, or make a schema: nothing crashes")
  func damage() throws {
    var random = Random(seed: 5)
    var refused = 0
    for seed in 1...20 {
      var own = Random(seed: seed)
      guard let schema = try? version(SchemaModel.random(&own).text()) else { continue }
      let bytes = try binary(schema)
      for _ in 0..<60 {
        var damaged = bytes
        for _ in 0...random.next(4) {
          damaged[random.next(damaged.count)] = UInt8(random.pick([0, 1, 255, random.next(256)]))
        }
        if random.once(in: 5) { damaged = Array(damaged.prefix(random.next(damaged.count))) }
        guard let text = try? BinarySchema.text(of: damaged), let read = try? version(["a.fbs": text], binary: true)
        else {
          refused += 1
          continue
        }
        _ = SchemaEvolution.compare(old: schema, new: read)
      }
    }
    #expect(refused > 100)
  }

  @Test("A name that is no identifier cannot smuggle text into the schema")
  func names() throws {
    let schema = try version("table Abcdefgh { x: int; }")
    var bytes = try binary(schema)
    let name = Array("Abcdefgh".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    bytes.replaceSubrange(place..<place + name.count, with: "A{}B;//x".utf8)
    #expect(throws: BinarySchema.Failure.self) { try BinarySchema.text(of: bytes) }
  }
}
