import Dflat
import FlatBuffersCore
import Foundation
import Golden_scalars
import SQLiteDflat
import Testing

@Suite("The output for every scalar type, compiled and run")
struct ScalarsTests {
  private func sample(_ id: UInt64, level: Level = .middle, _ change: (inout SampleBuilder) -> Void = { _ in })
    -> Sample
  {
    var builder = SampleBuilder(Sample(sensorId: id, level: level, name: "sample \(id)"))
    builder.serial = UInt32(truncatingIfNeeded: id)
    change(&builder)
    return builder.build()
  }

  @Test("Data with another file identifier is refused if that is asked for, and read if not")
  func identifier() throws {
    let data = sample(7).toData()
    #expect(String(decoding: data[4..<8], as: UTF8.self) == "SCAL")
    #expect(try Sample(verifying: data, checkingIdentifier: true) == sample(7))
    var other = data
    other[4] = UInt8(ascii: "T")
    #expect(try Sample(verifying: other) == sample(7))
    #expect(throws: FlatBufferError.wrongFileIdentifier(position: 4)) {
      try Sample(verifying: other, checkingIdentifier: true)
    }
    #expect(throws: FlatBufferError.wrongFileIdentifier(position: 4)) {
      try Sample(verifying: data.prefix(6), checkingIdentifier: true)
    }
    #expect(throws: DamagedFlatBuffer.self) { try Sample(verifying: data.prefix(12), checkingIdentifier: true) }
  }

  @Test("A new object has the defaults of the schema")
  func defaultsAreThoseOfTheSchema() {
    let sample = Sample(sensorId: 1, level: .LOW, name: "x")
    #expect(sample.flag)
    #expect(sample.tiny == -1)
    #expect(sample.small == 200)
    #expect(sample.count == 65535)
    #expect(sample.number == Int32.min)
    #expect(sample.big == UInt64.max)
    #expect(sample.ratio == 0.5)
    #expect(sample.precise == 1e300)
    #expect(sample.maybeFlag == nil)
    #expect(sample.maybeDistance == nil)
    #expect(sample.distance == .near)
    #expect(sample.label == "none \"yet\"")
    #expect(sample.words.isEmpty)
  }

  @Test("An empty buffer reads as an object with the schema's defaults")
  func anEmptyObjectReadsAsTheDefaults() {
    let read = Sample(.empty, _rowid: 0)
    #expect(read == Sample(sensorId: 0, level: .middle, name: ""))
  }

  @Test("Enum cases are ordered by their numbers")
  func enumsAreOrderedByTheirNumbers() {
    #expect(Level.LOW < .middle && .middle < Level.HIGH)
    #expect(Distance.far.rawValue == 4_000_000_000)
  }

  @Test("Extreme values are unchanged after encoding and after storing")
  func extremeValuesSurviveTheBytesAndTheStore() async throws {
    let full = sample(.max, level: .HIGH) { builder in
      builder.flag = false
      builder.tiny = .min
      builder.small = .max
      builder.shortOne = .min
      builder.count = 0
      builder.number = .max
      builder.serial = .max
      builder.longOne = .min
      builder.big = 0
      builder.ratio = -.infinity
      builder.precise = .leastNonzeroMagnitude
      builder.maybeFlag = false
      builder.maybeNumber = 0
      builder.maybePrecise = -0.0
      builder.maybeDistance = .far
      builder.distance = .far
      builder.label = ""
      builder.name = "nul \u{0} and é"
      builder.flags = [true, false, true]
      builder.bytes = [0, 255]
      builder.numbers = [.min, 0, .max]
      builder.doubles = [.infinity, 0.1]
      builder.distances = [.far, .near]
      builder.words = ["", "two words", "\u{1F600}"]
    }
    var builder = FlatBufferBuilder()
    let root = full.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    #expect(Sample.verify(byteBuffer: builder.finishedBuffer()))
    #expect(Sample.from(byteBuffer: builder.finishedBuffer()) == full)

    try await withWorkspace { workspace in
      #expect(
        await workspace.performChanges([Sample.self]) { transaction in
          transaction.try(submit: SampleChangeRequest.creationRequest(full))
        })
      let found = workspace.fetch(for: Sample.self).all()
      #expect(Array(found) == [full])
      #expect(found.first?.maybePrecise?.sign == .minus, "-0.0 keeps its sign")
    }
  }

  @Test("Objects that differ in one of two primary key fields are different objects")
  func bothFieldsOfTheKeyTellObjectsApart() async throws {
    try await withWorkspace { workspace in
      let samples = [sample(1, level: .LOW), sample(2, level: .LOW), sample(3, level: .HIGH)]
      #expect(
        await workspace.performChanges([Sample.self]) { transaction in
          for sample in samples {
            transaction.try(submit: SampleChangeRequest.creationRequest(sample))
          }
          #expect(throws: TransactionError.objectAlreadyExists) {
            try transaction.submit(SampleChangeRequest.creationRequest(samples[0]))
          }
        })
      #expect(
        workspace.fetch(for: Sample.self).where(Sample.sensorId == 2 && Sample.level == .LOW).map(\.sensorId) == [2])
      #expect(workspace.fetch(for: Sample.self).where(Sample.sensorId == 2 && Sample.level == .HIGH).isEmpty)
    }
  }

  @Test("A duplicate value of a unique field refuses its object and no other")
  func aUniqueFieldRefusesASecondObjectAndNothingElse() async throws {
    try await withWorkspace { workspace in
      let first = sample(1)
      let twin = sample(2) { $0.serial = 1 }
      let other = sample(3)
      #expect(
        await workspace.performChanges([Sample.self]) { transaction in
          transaction.try(submit: SampleChangeRequest.creationRequest(first))
          #expect(throws: TransactionError.objectAlreadyExists) {
            try transaction.submit(SampleChangeRequest.creationRequest(twin))
          }
          transaction.try(submit: SampleChangeRequest.creationRequest(other))
        })
      let all = workspace.fetch(for: Sample.self).all(orderBy: [Sample.sensorId.ascending])
      #expect(all.map(\.sensorId) == [1, 3])
    }
  }

  @Test("A query by each scalar field finds the objects with that value")
  func everyFieldCanBeQueried() async throws {
    try await withWorkspace { workspace in
      let low = sample(1, level: .LOW) { builder in
        builder.flag = false
        builder.ratio = -1.5
        builder.maybeNumber = 5
        builder.longOne = -7
        builder.shortOne = 3
        builder.distance = .far
        builder.label = "low"
        builder.big = 5
      }
      let high = sample(2, level: .HIGH)
      #expect(
        await workspace.performChanges([Sample.self]) { transaction in
          transaction.try(submit: SampleChangeRequest.creationRequest(low))
          transaction.try(submit: SampleChangeRequest.creationRequest(high))
        })
      func ids(_ query: QueryExpression<Bool, Sample>) -> [UInt64] {
        workspace.fetch(for: Sample.self).where(query, orderBy: [Sample.sensorId.ascending]).map(\.sensorId)
      }
      #expect(ids(Sample.flag) == [2])
      #expect(ids(!Sample.flag) == [1])
      #expect(ids(Sample.ratio < 0) == [1])
      #expect(ids(Sample.maybeNumber == 5) == [1])
      #expect(ids(Sample.maybeNumber != 5) == [], "NULL is not unequal to anything")
      #expect(ids(Sample.maybeNumber.isNull) == [2])
      #expect(ids(Sample.longOne == -7) == [1])
      #expect(ids(Sample.shortOne >= 3) == [1])
      #expect(ids(Sample.distance > .near) == [1])
      #expect(ids(Sample.label == "none \"yet\"") == [2])
      #expect(ids(Sample.big == .max) == [2])
      #expect(ids(Sample.big < 6) == [1])
      #expect(ids(Sample.level.in([.LOW, .middle])) == [1])
      #expect(ids(Sample.name == "sample 2") == [2])
    }
  }

  @Test("The table's name contains the schema's version")
  func theVersionIsPartOfTheTablesName() {
    #expect(Sample._record.table == "sample_v1_1")
    #expect(Sample.flatBuffersSchemaVersion == "1.1")
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let sample = sample(1) {
      ($0.flags, $0.bytes, $0.numbers, $0.doubles) = ([true], [255], [-1, 7], [0.5])
      ($0.distances, $0.words) = ([.init(rawValue: 0)].compactMap { $0 }, ["a", "b"])
    }
    let distances = sample.distances.count
    #expect((Sample.flags.contains(true) && !Sample.flags.contains(false)).evaluate(sample))
    #expect((Sample.bytes.contains(255)).evaluate(sample))
    #expect((Sample.numbers.contains(anyOf: [3, 7])).evaluate(sample))
    #expect((Sample.doubles.contains(0.5)).evaluate(sample))
    #expect((Sample.distances.count == distances).evaluate(sample))
    #expect((Sample.words.contains("b")).evaluate(sample))
  }
}
