import FlatBuffersCore

/// A struct of two numbers, to which three are given.
private struct Pair: FlatBufferStructWritable {
  static let byteSize = 8
  static let byteAlignment = 4
  func write(to writer: inout FlatBufferStructWriter) { writer.set([1, 2, 3] as [Int32], at: 0, count: 2) }
}

private struct PairEditor: FlatBufferStructEditorView {
  let _editor: FlatBufferStructEditor
  typealias Value = Pair
  init(_ editor: FlatBufferStructEditor) { _editor = editor }
}

private struct Plain: FlatBufferStructWritable {
  static let byteSize = 8
  static let byteAlignment = 4
  func write(to writer: inout FlatBufferStructWriter) {}
}

extension Trap {
  /// A table with three numbers in slot 4, two strings in slot 6, a struct in slot 8, and one union, with a code of two bytes, in the
  /// vectors of slots 10 and 12.
  private static func buffer() throws -> ByteBuffer {
    var builder = FlatBufferBuilder()
    let numbers = builder.create(vector: [1, 2, 3] as [Int32])
    let texts = builder.create(vector: ["a", "b"])
    let codes = builder.create(vector: [1] as [UInt16])
    let members = builder.create(vector: [builder.create("member")])
    builder.startTable(fieldCount: 5)
    builder.add(numbers, at: 4)
    builder.add(texts, at: 6)
    builder.add(Plain(), at: 8)
    builder.add(codes, at: 10)
    builder.add(members, at: 12)
    try builder.finish(builder.endTable())
    return builder.finishedBuffer()
  }

  private static let outside = "The index is outside the FlatBuffer vector: it is from 0 to count - 1."

  private static func read(
    _ name: String, _ message: String, _ body: @escaping @Sendable (FlatBufferTable) throws -> Void
  ) -> Trap {
    Trap("read-\(name)", message) {
      let buffer = try buffer()
      if let table = FlatBufferTable(rootOf: buffer) { try body(table) }
    }
  }

  private static func edit(
    _ name: String, _ message: String, _ body: @escaping @Sendable (FlatBufferTableEditor) throws -> Void
  ) -> Trap {
    Trap("edit-\(name)", message) {
      let bytes = try EditableFlatBuffer(copying: try buffer())
      if let editor = FlatBufferTableEditor(rootOf: bytes) { try body(editor) }
    }
  }

  private static func verify(
    _ name: String, _ message: String,
    _ body: @escaping @Sendable (inout FlatBufferVerifier, FlatBufferVerifier.UnionVector) throws -> Void
  ) -> Trap {
    Trap("verify-\(name)", message) {
      let buffer = try buffer()
      guard let table = FlatBufferTable(rootOf: buffer) else { return }
      var verifier = try FlatBufferVerifier(buffer)
      let verified = try verifier.beginTable(at: table.position)
      let unions = try verifier.unionVector(codeSize: 2, in: verified, at: 12)
      try body(&verifier, unions)
    }
  }

  /// Indexes and positions outside of what is read, edited or verified.
  static let reading = [
    read("index", outside) { table in
      let numbers: FlatBufferVector<Int32> = table.vector(at: 4)
      print(numbers[3])
    },
    read("negative-index", outside) { table in
      let numbers: FlatBufferVector<Int32> = table.vector(at: 4)
      print(numbers[-1])
    },
    read("text-index", outside) { table in
      let texts: FlatBufferVector<String> = table.vector(at: 6)
      print(texts.utf8(at: 2).count)
    },
    read("position", "A scalar was asked for outside the FlatBuffer's bytes: ask contains(_:count:) before.") { table in
      print(table.window.scalar(Int32.self, at: table.window.count - 3))
    },
    edit("index", outside) { editor in
      let numbers: FlatBufferVectorEditor<Int32>? = editor.vector(at: 4)
      numbers?[3] = 1
    },
    edit("fixed-array", "A fixed array was given more elements than it has.") { editor in
      let pair: PairEditor? = editor.structure(at: 8)
      pair?.replace(with: Pair())
    },
    verify("index", "The index is outside the union vector: it is from 0 to count - 1.") {
      _ = try $0.wideMember(1, of: $1)
    },
    verify("wide-code", "The type codes of the union vector take more than a byte: call wideMember(_:of:).") {
      _ = try $0.member(0, of: $1)
    },
  ]
}
