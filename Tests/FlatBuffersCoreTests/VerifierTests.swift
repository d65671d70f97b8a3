import FlatBuffersCore
import Testing

@testable import BufferJobs

@Suite("The verifier enforces the rules and limits of the format")
struct VerifierTests {
  /// The error that the verifier throws for `buffer`; nil if it accepts it.
  private func failure<View: FlatBufferTableView>(
    _ buffer: ByteBuffer, as view: View.Type, fileIdentifier: String? = nil, sizePrefixed: Bool = false,
    options: FlatBufferVerifier.Options = .init()
  ) -> FlatBufferError? {
    do throws(FlatBufferError) {
      try buffer.verify(as: view, fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed, options: options)
      return nil
    } catch {
      return error
    }
  }

  /// An object whose nodes are nested `depth` deep.
  private func chain(depth: Int) -> Everything {
    var node = Node()
    for _ in 1..<depth { node = Node(children: [node]) }
    var object = Everything()
    object.node = node
    return object
  }

  @Test("Tables may be nested 64 deep by default, as in C++")
  func depth() throws {
    let oracle = try CppOracle.shared.get()
    // The root adds 1 to the depth.
    let good = chain(depth: 63).buffer()
    let bad = chain(depth: 64).buffer()
    #expect(failure(good, as: EverythingView.self) == nil)
    guard case .tooDeep(_, 64) = failure(bad, as: EverythingView.self) else {
      Issue.record("a table nested 65 deep is accepted")
      return
    }
    #expect(try oracle.verify([good.array, bad.array]) == [true, false])
    #expect(failure(bad, as: EverythingView.self, options: .init(maximumDepth: 65)) == nil)
  }

  @Test("The limit on the number of tables includes tables in vectors")
  func tableCount() {
    var object = Everything()
    object.leaves = (0..<9).map { Leaf(value: $0) }
    let buffer = object.buffer()
    #expect(failure(buffer, as: EverythingView.self, options: .init(maximumTableCount: 10)) == nil)
    guard case .tooManyTables(_, 9) = failure(buffer, as: EverythingView.self, options: .init(maximumTableCount: 9))
    else {
      Issue.record("ten tables are accepted")
      return
    }
  }

  @Test("The limit on the number of tables includes those of nested buffers")
  func nestedTableCount() {
    var object = Everything()
    object.nested = Leaf(value: 1)
    let buffer = object.buffer()
    #expect(failure(buffer, as: EverythingView.self, options: .init(maximumTableCount: 2)) == nil)
    guard case .tooManyTables(_, 1) = failure(buffer, as: EverythingView.self, options: .init(maximumTableCount: 1))
    else {
      Issue.record("the table of the nested buffer is not counted")
      return
    }
  }

  @Test("A table that is referred to many times counts each time")
  func amplification() {
    // Each of 20 levels refers 8 times to the level below: 8^20 visits in a few hundred bytes.
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 2)
    var node = builder.endTable()
    for _ in 0..<20 {
      let children = builder.create(vector: [Offset](repeating: node, count: 8))
      builder.startTable(fieldCount: 2)
      builder.add(children, at: 6)
      node = builder.endTable()
    }
    let buffer = ByteBuffer(bytesOf(&builder, root: node))
    guard case .tooManyTables(_, 1_000_000) = failure(buffer, as: NodeView.self) else {
      Issue.record("the verifier accepts the buffer")
      return
    }
  }

  @Test("The strings of a vector that many tables share count each time")
  func sharedStrings() throws {
    var builder = FlatBufferBuilder()
    let name = builder.create("name")
    let names = builder.create(vector: [Offset](repeating: name, count: 100))
    var tables: [Offset] = []
    for _ in 0..<100 {
      builder.startTable(fieldCount: 2)
      builder.add(names, at: 6)
      tables.append(builder.endTable())
    }
    let children = builder.create(vector: tables)
    builder.startTable(fieldCount: 2)
    builder.add(children, at: 4)
    let root = builder.endTable()
    let buffer = ByteBuffer(bytesOf(&builder, root: root))
    #expect(failure(buffer, as: NamesView.self) == nil)
    var verifier = try FlatBufferVerifier(buffer)
    #expect(verifier.remainingElements == 100_000_000)
    verifier.remainingElements = 10_000
    try verifier.root(of: NamesView.self, fileIdentifier: nil, sizePrefixed: false)
    #expect(verifier.remainingElements == 0)
    verifier.remainingElements = 9_999
    do throws(FlatBufferError) {
      try verifier.root(of: NamesView.self, fileIdentifier: nil, sizePrefixed: false)
      Issue.record("10,000 strings are accepted")
    } catch {
      guard case .tooManyTables(_, 1_000_000) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("The limit on elements is a hundred times that on tables, and 20 million at least")
  func elementLimit() throws {
    let limits: [(Int, Int)] = [
      (Int.min, 20_000_000), (0, 20_000_000), (1_000_000, 100_000_000), (Int.max, Int.max),
    ]
    for (count, limit) in limits {
      let options = FlatBufferVerifier.Options(maximumTableCount: count)
      #expect(try FlatBufferVerifier(ByteBuffer([]), options: options).remainingElements == limit)
    }
  }

  @Test("A buffer larger than the size limit is refused")
  func byteCount() {
    let buffer = Everything(seed: 1).buffer()
    let limit = buffer.count - 1
    #expect(
      failure(buffer, as: EverythingView.self, options: .init(maximumByteCount: limit))
        == .bufferTooLarge(count: buffer.count, limit: limit))
    #expect(failure(buffer, as: EverythingView.self, options: .init(maximumByteCount: buffer.count)) == nil)
  }

  @Test("A table without a required field is refused")
  func required() {
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 38)
    let root = builder.endTable()
    let buffer = ByteBuffer(bytesOf(&builder, root: root))
    guard case .missingRequiredField(36, _) = failure(buffer, as: EverythingView.self) else {
      Issue.record("the verifier accepts the buffer")
      return
    }
  }

  @Test("A buffer with another file identifier or a wrong size prefix is refused")
  func header() {
    var builder = FlatBufferBuilder()
    let root = Leaf(name: "x", value: 1).write(&builder)
    let bytes = bytesOf(&builder, root: root, fileIdentifier: "ABCD", sizePrefixed: true)
    let buffer = ByteBuffer(bytes)
    #expect(failure(buffer, as: LeafView.self, fileIdentifier: "ABCD", sizePrefixed: true) == nil)
    #expect(failure(buffer, as: LeafView.self, sizePrefixed: true) == nil)
    #expect(
      failure(buffer, as: LeafView.self, fileIdentifier: "ABCX", sizePrefixed: true)
        == .wrongFileIdentifier(position: 8))
    #expect(
      failure(ByteBuffer(bytes + [0]), as: LeafView.self, sizePrefixed: true)
        == .wrongSizePrefix(stated: bytes.count - 4, actual: bytes.count - 3))
    #expect(failure(ByteBuffer([]), as: LeafView.self) == .bufferTooSmall(count: 0))
  }

  @Test("A misaligned buffer is refused unless alignment is not checked, and reads correctly")
  func alignment() throws {
    // Two bytes inserted after the root offset move everything else by two.
    let bytes = Everything(seed: 12).buffer().array
    let moved = [bytes[0] + 2] + bytes[1..<4] + [0, 0] + bytes[4...]
    let buffer = ByteBuffer(Array(moved))
    guard case .misaligned = failure(buffer, as: EverythingView.self) else {
      Issue.record("the verifier accepts the buffer")
      return
    }
    let options = FlatBufferVerifier.Options(checksAlignment: false)
    #expect(failure(buffer, as: EverythingView.self, options: options) == nil)
    let view = try #require(EverythingView(root: buffer))
    #expect(Everything(view) == Everything(seed: 12))
  }

  @Test("A damaged nested buffer is refused, unless nested buffers are not checked")
  func nested() throws {
    var object = Everything()
    object.nested = Leaf(name: "nested", value: 3)
    var bytes = object.buffer().array
    let view = try #require(EverythingView(root: ByteBuffer(bytes)))
    #expect(view.nested.flatMap { LeafView(root: $0) }?.name == "nested")
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("nested\0".utf8)) })
    bytes[start + 6] = 1
    guard case .unterminatedString = failure(ByteBuffer(bytes), as: EverythingView.self) else {
      Issue.record("the verifier accepts the buffer")
      return
    }
    let options = FlatBufferVerifier.Options(checksNestedBuffers: false)
    #expect(failure(ByteBuffer(bytes), as: EverythingView.self, options: options) == nil)
  }

  @Test("A union vector with more type codes than members is refused")
  func unionVectors() {
    var object = Everything()
    object.anys = [.text("a"), .text("b")]
    #expect(failure(object.buffer(), as: EverythingView.self) == nil)
    var builder = FlatBufferBuilder()
    let name = builder.create("")
    let codes = builder.create(vector: [0, 0] as [UInt8])
    let members = builder.create(vector: [name])
    builder.startTable(fieldCount: 38)
    builder.add(name, at: 36)
    builder.add(codes, at: 74)
    builder.add(members, at: 76)
    let root = builder.endTable()
    guard
      case .mismatchedUnionVector = failure(ByteBuffer(bytesOf(&builder, root: root)), as: EverythingView.self)
    else {
      Issue.record("the verifier accepts the buffer")
      return
    }
  }

  @Test("A union member of unknown type is refused if its offset is 0 or points outside the buffer")
  func unknownUnionMember() throws {
    var builder = FlatBufferBuilder()
    let name = builder.create("x")
    builder.startTable(fieldCount: 38)
    builder.add(name, at: 72)
    builder.add(name, at: 36)
    builder.add(200 as UInt8, default: 0, at: 70)
    let root = builder.endTable()
    var bytes = bytesOf(&builder, root: root, fileIdentifier: "EVRY")
    #expect(failure(ByteBuffer(bytes), as: EverythingView.self) == nil)
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytes)))
    // The field of the member is found as the last aligned offset that refers to the string.
    let member = try #require(table.unionMember(at: 72))
    let field = try #require(
      (table.position..<bytes.count - 3).last { $0 % 4 == 0 && $0 + Int(bytes[$0]) == member.position })
    let last = UInt8(bytes.count - 1 - field)
    for (offset, isInside) in [(last, true), (last + 1, false), (0, false)] {
      bytes[field] = offset
      #expect(failure(ByteBuffer(bytes), as: EverythingView.self) == (isInside ? nil : .invalidOffset(position: field)))
      #expect(try CppOracle.shared.get().verify([bytes]) == [isInside])
    }
  }

  @Test("Every error has a different description, which is a sentence and contains the error's position")
  func descriptions() {
    let errors: [FlatBufferError] = [
      .bufferTooSmall(count: 1), .bufferTooLarge(count: 2, limit: 1), .outOfBounds(position: 77, count: 2),
      .misaligned(position: 77, alignment: 4), .invalidOffset(position: 77), .invalidVTable(position: 77),
      .missingRequiredField(slot: 8, position: 77), .unterminatedString(position: 77), .vectorTooLong(position: 77),
      .mismatchedUnionVector(position: 77), .tooDeep(position: 77, limit: 64), .tooManyTables(position: 77, limit: 1),
      .wrongFileIdentifier(position: 77), .wrongSizePrefix(stated: 1, actual: 2), .builderTooLarge(limit: 9),
      .tableTooLarge,
    ]
    for error in errors {
      #expect(error.description.hasSuffix("."))
      #expect(error.position == nil || (error.position == 77 && error.description.contains("77")))
    }
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.count { $0.position == nil } == 5)
  }

  @Test("An error is at most four words, so that Swift throws it in registers, which takes less time at each call")
  func size() {
    #expect(MemoryLayout<FlatBufferError>.size <= 4 * MemoryLayout<Int>.size)
  }
}

/// A table of further tables, and of strings.
private struct NamesView: FlatBufferTableView {
  let _table: FlatBufferTable

  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.vector(of: NamesView.self, in: table, at: 4)
    try verifier.vector(of: String.self, in: table, at: 6)
    verifier.endTable()
  }
}
