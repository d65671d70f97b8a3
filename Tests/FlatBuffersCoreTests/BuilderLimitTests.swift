import FlatBuffersCore
import Testing

@testable import BufferJobs

@Suite("A builder that exceeds a limit fails in finish")
struct BuilderLimitTests {
  /// The error that `finish` throws; nil if it succeeds.
  private func failure(of builder: inout FlatBufferBuilder, root: Offset) -> FlatBufferError? {
    do throws(FlatBufferError) {
      try builder.finish(root)
      return nil
    } catch {
      return error
    }
  }

  @Test("Finish throws if any part of an object exceeded the size limit, and the builder works again after clear")
  func sizeLimit() throws {
    var failures = 0
    var successes = 0
    var builder = FlatBufferBuilder(initialCapacity: 64, sizeLimit: 1024)
    for seed in 0..<300 as Range<UInt64> {
      builder.clear()
      let object = Everything(seed: seed)
      let root = object.write(&builder)
      switch failure(of: &builder, root: root) {
      case nil:
        successes += 1
        #expect(EverythingView(root: builder.finishedBuffer()).map { Everything($0) } == object, "seed \(seed)")
      case .builderTooLarge(let limit):
        failures += 1
        #expect(limit == 1024)
        #expect(object.buffer().count > 960, "seed \(seed)")
      case let error: Issue.record("\(String(describing: error))")
      }
      #expect(builder.memoryCapacity <= 1024)
    }
    #expect(failures > 20 && successes > 20)
  }

  @Test("Objects written after the size limit was exceeded are dropped, and finish throws the first error")
  func writingAfterFailure() {
    var builder = FlatBufferBuilder(initialCapacity: 64, sizeLimit: 256)
    _ = builder.create(String(repeating: "x", count: 300))
    let text = builder.create("later")
    #expect(builder.createShared("shared") == builder.createShared("shared"))
    let vector = builder.create(vector: [text, text])
    let doubles = builder.create(vector: [1.0, 2])
    let point = builder.create(Vec3(x: 1, y: 2, z: 3))
    builder.startTable(fieldCount: 5)
    builder.add(text, at: 4)
    builder.add(vector, at: 6)
    builder.add(doubles, at: 8)
    builder.add(point, at: 10)
    builder.add(1 as Int32, default: 0, at: 12)
    let root = builder.endTable()
    #expect(failure(of: &builder, root: root) == .builderTooLarge(limit: 256))
    // A second call throws the same error.
    #expect(failure(of: &builder, root: root) == .builderTooLarge(limit: 256))
  }

  @Test("Finish throws if the bytes of one vector exceed the size limit")
  func oversizedVector() {
    var builder = FlatBufferBuilder(initialCapacity: 64, sizeLimit: 4096)
    let vector = builder.create(vector: [UInt64](repeating: 1, count: 600))
    builder.startTable(fieldCount: 1)
    builder.add(vector, at: 4)
    let root = builder.endTable()
    #expect(failure(of: &builder, root: root) == .builderTooLarge(limit: 4096))
  }

  private struct Wide: FlatBufferStructWritable {
    static var byteSize: Int { 30_000 }
    static var byteAlignment: Int { 1 }

    func write(to writer: inout FlatBufferStructWriter) {
      writer.set(7 as UInt8, at: 29_999)
    }
  }

  @Test("Finish throws if a table has more than 64 KiB inline, and succeeds if it has less")
  func oversizedTable() throws {
    var builder = FlatBufferBuilder()
    for count in [2, 3] {
      builder.clear()
      builder.startTable(fieldCount: 3)
      for index in 0..<count { builder.add(Wide(), at: VTableOffset(4 + 2 * index)) }
      let root = builder.endTable()
      #expect(failure(of: &builder, root: root) == (count == 2 ? nil : .tableTooLarge))
      guard count == 2 else { continue }
      let table = try #require(FlatBufferTable(rootOf: builder.finishedBuffer()))
      #expect(table.structure(at: 4, size: 30_000)?.scalar(UInt8.self, at: 29_999) == 7)
      #expect(table.structure(at: 6, size: 30_000)?.scalar(UInt8.self, at: 29_999) == 7)
      #expect(table.structure(at: 6, size: 30_000)?.scalar(UInt8.self, at: 29_998) == 0)
    }
  }

  #if compiler(>=6.2) && (os(Linux) || os(macOS))
    @Test("A builder stops the program if a string, field, offset or finish is used out of order")
    func wrongUse() async {
      await #expect(processExitsWith: .failure) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        _ = builder.create("inside a table")
      }
      await #expect(processExitsWith: .failure) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        builder.add(1 as Int32?, at: 6)
      }
      await #expect(processExitsWith: .failure) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        builder.add(Offset(rawValue: 100), at: 4)
      }
      await #expect(processExitsWith: .failure) {
        let builder = FlatBufferBuilder()
        builder.withFinishedBytes { _ in }
      }
      await #expect(processExitsWith: .failure) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        builder.add(1 as Int32?, at: 4)
        builder.add(1 as Int32?, at: 4)
      }
    }
  #endif
}
