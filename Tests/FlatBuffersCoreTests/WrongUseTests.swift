#if compiler(>=6.2) && (os(Linux) || os(macOS))
  import FlatBuffersCore
  import Testing

  @Suite("A builder that is used wrongly stops the program with a message")
  struct WrongUseTests {
    private static func message(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("Starting a table inside a table stops the program with a message")
    func tableInsideTable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        builder.startTable(fieldCount: 1)
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test("Writing a string inside a table stops the program with a message")
    func stringInsideTable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        _ = builder.create("inside")
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test("Writing a vector of unions inside a table stops the program with a message")
    func unionVectorInsideTable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 1)
        _ = builder.create(unionVector: [])
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test("Writing an object with a 64-bit offset behind another object stops the program with a message")
    func lateObjectWith64BitOffset() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        _ = builder.createOffset64("far")
        _ = builder.create("near")
        _ = builder.createOffset64("too late")
      }
      #expect(Self.message(result).contains("written before all other strings, vectors and tables"))
    }

    @Test("Writing a vector with a 64-bit length behind a table stops the program with a message")
    func lateVector64() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 0)
        _ = builder.endTable()
        _ = builder.createVector64([1, 2, 3] as [UInt8])
      }
      #expect(Self.message(result).contains("written before all other strings, vectors and tables"))
    }

    @Test("Copying an unfinished buffer stops the program with a message")
    func copyingAnUnfinishedBuffer() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let builder = FlatBufferBuilder()
        _ = builder.finishedBuffer()
      }
      #expect(Self.message(result).contains("The buffer is not finished: call finish"))
    }

    @Test("Nesting an unfinished buffer stops the program with a message")
    func nestingAnUnfinishedBuffer() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let inner = FlatBufferBuilder()
        var builder = FlatBufferBuilder()
        _ = builder.create(nested: inner)
      }
      #expect(Self.message(result).contains("The buffer is not finished: call finish"))
    }

    @Test("Finishing inside a table stops the program with a message")
    func finishingInsideATable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        let text = builder.create("x")
        builder.startTable(fieldCount: 1)
        try builder.finish(text)
      }
      #expect(Self.message(result).contains("written before the table that refers to them"))
    }

    @Test("Finishing twice stops the program with a message")
    func finishingTwice() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        builder.startTable(fieldCount: 0)
        let root = builder.endTable()
        try builder.finish(root)
        try builder.finish(root)
      }
      #expect(Self.message(result).contains("The buffer is finished: call clear()"))
    }

    @Test("Finishing without a root table stops the program with a message")
    func finishingWithoutARoot() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        try builder.finish(.null)
      }
      #expect(Self.message(result).contains("needs a root table"))
    }

    @Test("Ending a table that was not started stops the program with a message")
    func endingATableThatWasNotStarted() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        _ = builder.endTable()
      }
      #expect(Self.message(result).contains("There is no table to end: call startTable"))
    }

    @Test("Adding an offset from before clear stops the program with a message")
    func addingAnOffsetFromBeforeClear() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        let text = builder.create("a string of some length")
        builder.clear()
        builder.startTable(fieldCount: 1)
        builder.add(text, at: 4)
      }
      #expect(Self.message(result).contains("from before it was cleared"))
    }

    @Test("Writing a union member with the type code 0 stops the program with a message")
    func unionMemberWithoutTypeCode() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        let text = builder.create("x")
        _ = builder.create(unionVector: [(0, text)])
      }
      #expect(Self.message(result).contains("goes with the code of its type"))
    }

    @Test("Writing a null offset in a sorted vector stops the program with a message")
    func nullOffsetInASortedVector() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        _ = builder.create(sortedVector: [.null], of: NamedView.self)
      }
      #expect(Self.message(result).contains("A sorted vector holds tables"))
    }
  }

  /// A table whose key is a string.
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
