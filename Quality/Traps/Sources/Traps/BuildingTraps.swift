import FlatBuffersCore

/// A struct of four bytes whose field lies behind them.
private struct Shifted: FlatBufferStructWritable {
  static let byteSize = 4
  static let byteAlignment = 4
  func write(to writer: inout FlatBufferStructWriter) { writer.set(Int32(1), at: 4) }
}

/// A table whose key is a string.
private struct Named: FlatBufferStringKeyed {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }
  static var keySlot: VTableOffset { 4 }
  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {}
}

extension Trap {
  private static func build(
    _ name: String, _ message: String, _ body: @escaping @Sendable (inout FlatBufferBuilder) throws -> Void
  ) -> Trap {
    Trap("builder-\(name)", message) {
      var builder = FlatBufferBuilder()
      try body(&builder)
    }
  }

  private static func emptyTable(_ builder: inout FlatBufferBuilder) -> Offset {
    builder.startTable(fieldCount: 0)
    return builder.endTable()
  }

  /// Wrong uses of a builder.
  static let building = [
    build("table-in-table", "tables are written before the table that refers to them") {
      $0.startTable(fieldCount: 1)
      $0.startTable(fieldCount: 1)
    },
    build("string-in-table", "Strings, vectors and tables are written before the table that refers to them") {
      $0.startTable(fieldCount: 1)
      _ = $0.create("inside")
    },
    build("vector-in-table", "Strings, vectors and tables are written before the table that refers to them") {
      $0.startTable(fieldCount: 1)
      _ = $0.create(vector: [1, 2] as [Int32])
    },
    build("field-outside-table", "Fields are added between startTable and endTable.") { $0.add(Int32(1), at: 4) },
    build("unknown-slot", "The table was started without a field of this slot.") {
      $0.startTable(fieldCount: 1)
      $0.add(Int32(1), at: 6)
    },
    build("field-twice", "The field was added twice: a table has one value for each of its fields.") {
      $0.startTable(fieldCount: 1)
      for value in [1, 2] as [Int32] { $0.add(value, at: 4) }
    },
    build("too-many-fields", "A table has from 0 to 32765 fields.") { $0.startTable(fieldCount: 32766) },
    build("end-without-start", "There is no table to end: call startTable before endTable.") { _ = $0.endTable() },
    build("finish-in-table", "tables are written before the table that refers to them") {
      let root = emptyTable(&$0)
      $0.startTable(fieldCount: 1)
      try $0.finish(root)
    },
    build("finish-twice", "The buffer is finished: call clear() before another one is written.") {
      let root = emptyTable(&$0)
      for _ in 0..<2 { try $0.finish(root) }
    },
    build("written-after-finish", "The buffer is finished: call clear() before another one is written.") {
      try $0.finish(emptyTable(&$0))
      _ = $0.create("late")
    },
    build("no-root", "A FlatBuffer needs a root table: `Offset.null` is not allowed.") { try $0.finish(.null) },
    build("file-identifier", "A file identifier has four bytes.") {
      try $0.finish(emptyTable(&$0), fileIdentifier: "POSTS")
    },
    build("unfinished-copy", "The buffer is not finished: call finish before its bytes are used.") {
      _ = $0.finishedBuffer()
    },
    build("unfinished-bytes", "The buffer is not finished: call finish before its bytes are used.") {
      $0.withFinishedBytes { print($0.count) }
    },
    build("unfinished-nested", "The buffer is not finished: call finish before its bytes are used.") {
      _ = $0.create(nested: FlatBufferBuilder())
    },
    build("offset-before-clear", "The offset does not come from this builder, or from before it was cleared.") {
      let text = $0.create("a string of some length")
      $0.clear()
      $0.startTable(fieldCount: 1)
      $0.add(text, at: 4)
    },
    build("late-offset64", "64-bit offsets are written before all other strings, vectors and tables.") {
      _ = $0.create("near")
      _ = $0.createOffset64("too late")
    },
    build("late-vector64", "64-bit offsets are written before all other strings, vectors and tables.") {
      _ = emptyTable(&$0)
      _ = $0.createVector64([1, 2, 3] as [UInt8])
    },
    build("offset64-before-clear", "The offset does not come from this builder, or from before it was cleared.") {
      let text = $0.createOffset64("far")
      $0.clear()
      $0.startTable(fieldCount: 1)
      $0.add(text, at: 4)
    },
    build("union-code", "A union's member goes with the code of its type, and none with 0.") {
      _ = $0.create(unionVector: [(0, $0.create("x"))])
    },
    build("null-in-sorted-vector", "A sorted vector holds tables: `Offset.null` is not allowed.") {
      _ = $0.create(sortedVector: [.null], of: Named.self)
    },
    build("foreign-mark", "The mark does not come from startOffsets of this builder.") { _ = $0.endOffsets(from: 5) },
    build("alignment", "An alignment must be a power of two.") { builder in
      [UInt8](repeating: 0, count: 8).withUnsafeBytes { bytes in _ = builder.create(bytes: bytes, alignment: 24) }
    },
    build("struct-field", "The field is outside its struct.") { _ = $0.create(Shifted()) },
  ]
}
