import FlatBuffersCore
import Testing

@Suite("Tables nested deeper than the limit read as absent")
struct NestingTests {
  /// A chain of `count` tables. Each refers to the next one twice: from the field at slot 4, and from a vector at slot
  /// 6.
  private func chain(of count: Int) throws -> ByteBuffer {
    var builder = FlatBufferBuilder()
    var child = Offset.null
    for _ in 0..<count {
      let vector = child == .null ? Offset.null : builder.create(vector: [child])
      builder.startTable(fieldCount: 2)
      builder.add(child, at: 4)
      builder.add(vector, at: 6)
      child = builder.endTable()
    }
    try builder.finish(child)
    return builder.finishedBuffer()
  }

  private func depth(of buffer: ByteBuffer, next: (FlatBufferTable) -> FlatBufferTable?) throws -> Int {
    var table = try #require(FlatBufferTable(rootOf: buffer))
    var depth = 1
    while let child = next(table) {
      table = child
      depth += 1
    }
    return depth
  }

  @Test("A chain of fields can be followed to the maximum depth, and no further")
  func fieldsBeyondTheLimit() throws {
    let limit = FlatBufferWindow.maximumDepth
    for count in [1, 2, limit - 1, limit] {
      #expect(try depth(of: chain(of: count)) { $0.table(at: 4) } == count)
    }
    #expect(try depth(of: chain(of: 100_000)) { $0.table(at: 4) } == limit)
  }

  @Test("A chain of vectors can be followed to the maximum depth, and no further")
  func vectorsBeyondTheLimit() throws {
    let buffer = try chain(of: 100_000)
    let nesting = try depth(of: buffer) { table in
      let vector: FlatBufferVector<FlatBufferTable> = table.vector(at: 6)
      // An element that cannot be read is an empty table, without the field at slot 4.
      return vector.first.flatMap { $0.hasField(at: 4) ? $0 : nil }
    }
    #expect(nesting == FlatBufferWindow.maximumDepth)
  }
}
