#if compiler(>=6.2) && (os(Linux) || os(macOS))
  import FlatBuffersCore
  import Testing

  @Suite("A builder used wrongly says what was done wrong")
  struct WrongUseTests {
    private static func message(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func aTableInsideATable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        builder.startTable(fieldCount: 1)
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test func aStringInsideATable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        _ = builder.create("inside")
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test func aVectorOfUnionsInsideATable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        _ = builder.create(unionVector: [])
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test func bytesOfAnUnfinishedBuffer() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let builder = FlatBufferBuilder()
        _ = builder.finishedBuffer()
      }
      #expect(Self.message(result).contains("The buffer is not finished."))
    }

    @Test func anUnfinishedBuilderNested() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let inner = FlatBufferBuilder()
        var builder = FlatBufferBuilder()
        _ = builder.create(nested: inner)
      }
      #expect(Self.message(result).contains("The buffer is not finished."))
    }

    @Test func finishingInsideATable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        let text = builder.create("x")
        builder.startTable(fieldCount: 1)
        try builder.finish(text)
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test func finishingTwice() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 0)
        let root = builder.endTable()
        try builder.finish(root)
        try builder.finish(root)
      }
      #expect(Self.message(result).contains("The buffer is finished: clear the builder"))
    }

    @Test func finishingWithoutARoot() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        try builder.finish(.null)
      }
      #expect(Self.message(result).contains("needs a root table"))
    }

    @Test func endingATableThatWasNotStarted() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        _ = builder.endTable()
      }
      #expect(Self.message(result).contains("There is no table to end."))
    }

    @Test func anOffsetFromBeforeTheBuilderWasCleared() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        let text = builder.create("a string of some length")
        builder.clear()
        builder.startTable(fieldCount: 1)
        builder.add(text, at: 4)
      }
      #expect(Self.message(result).contains("from before it was cleared"))
    }

    @Test func aUnionsMemberWithoutItsCode() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        let text = builder.create("x")
        _ = builder.create(unionVector: [(0, text)])
      }
      #expect(Self.message(result).contains("goes with the code of its type"))
    }

    @Test func nothingInASortedVector() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        _ = builder.create(sortedVector: [.null], of: NamedView.self)
      }
      #expect(Self.message(result).contains("A sorted vector holds tables"))
    }
  }

  /// A table with a string as its key.
  private struct NamedView: FlatBufferStringKeyed {
    let _table: FlatBufferTable
    init(_ table: FlatBufferTable) { _table = table }
    static var keySlot: VTableOffset { 4 }
    static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
      let table = try verifier.beginTable(at: position)
      try verifier.string(in: table, at: 4, required: true)
      verifier.endTable()
    }
  }
#endif
