import FlatBuffersCore
import Testing

@testable import FuzzJobs

@Suite("The verifier's rules")
struct VerifierTests {
  /// What is wrong with `buffer`.
  private func mistake<View: FlatBufferTableView>(
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

  private func chain(depth: Int) -> Everything {
    var node = Node()
    for _ in 1..<depth { node = Node(children: [node]) }
    var object = Everything()
    object.node = node
    return object
  }

  @Test("The depth limit is that of C++")
  func depth() throws {
    let oracle = try CppOracle.shared.get()
    // The root counts.
    let good = chain(depth: 63).buffer()
    let bad = chain(depth: 64).buffer()
    #expect(mistake(good, as: EverythingView.self) == nil)
    guard case .tooDeep(_, 64) = mistake(bad, as: EverythingView.self) else {
      Issue.record("a table nested 65 deep is accepted")
      return
    }
    #expect(try oracle.verify([good.array, bad.array]) == [true, false])
    #expect(mistake(bad, as: EverythingView.self, options: .init(maximumDepth: 65)) == nil)
  }

  @Test("Tables are counted, those in vectors too")
  func tableCount() {
    var object = Everything()
    object.leaves = (0..<9).map { Leaf(value: $0) }
    let buffer = object.buffer()
    #expect(mistake(buffer, as: EverythingView.self, options: .init(maximumTableCount: 10)) == nil)
    guard case .tooManyTables(_, 9) = mistake(buffer, as: EverythingView.self, options: .init(maximumTableCount: 9))
    else {
      Issue.record("ten tables are accepted")
      return
    }
  }

  @Test("A table that is referred to over and over is stopped by the count")
  func amplification() {
    // Each of twenty levels refers eight times to the level below: 8^20 visits in a few hundred bytes.
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
    guard case .tooManyTables(_, 1_000_000) = mistake(buffer, as: NodeView.self) else {
      Issue.record("not stopped")
      return
    }
  }

  @Test("A buffer over the limit is refused by its size alone")
  func byteCount() {
    let buffer = Everything(seed: 1).buffer()
    let limit = buffer.count - 1
    #expect(
      mistake(buffer, as: EverythingView.self, options: .init(maximumByteCount: limit))
        == .bufferTooLarge(count: buffer.count, limit: limit))
    #expect(mistake(buffer, as: EverythingView.self, options: .init(maximumByteCount: buffer.count)) == nil)
  }

  @Test("A required field must be there")
  func required() {
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 38)
    let root = builder.endTable()
    let buffer = ByteBuffer(bytesOf(&builder, root: root))
    guard case .missingRequiredField(36, _) = mistake(buffer, as: EverythingView.self) else {
      Issue.record("accepted")
      return
    }
  }

  @Test("File identifier and size prefix must be the expected ones")
  func header() {
    var builder = FlatBufferBuilder()
    let root = Leaf(name: "x", value: 1).write(&builder)
    let bytes = bytesOf(&builder, root: root, fileIdentifier: "ABCD", sizePrefixed: true)
    let buffer = ByteBuffer(bytes)
    #expect(mistake(buffer, as: LeafView.self, fileIdentifier: "ABCD", sizePrefixed: true) == nil)
    #expect(mistake(buffer, as: LeafView.self, sizePrefixed: true) == nil)
    #expect(
      mistake(buffer, as: LeafView.self, fileIdentifier: "ABCX", sizePrefixed: true)
        == .wrongFileIdentifier(position: 8))
    #expect(
      mistake(ByteBuffer(bytes + [0]), as: LeafView.self, sizePrefixed: true)
        == .wrongSizePrefix(stated: bytes.count - 4, actual: bytes.count - 3))
    #expect(mistake(ByteBuffer([]), as: LeafView.self) == .bufferTooSmall(count: 0))
  }

  @Test("An unaligned buffer is accepted only when asked for, and is read all the same")
  func alignment() throws {
    // Two bytes more in front of the root: everything in the buffer is moved by two.
    let bytes = Everything(seed: 12).buffer().array
    let moved = [bytes[0] + 2] + bytes[1..<4] + [0, 0] + bytes[4...]
    let buffer = ByteBuffer(Array(moved))
    guard case .misaligned = mistake(buffer, as: EverythingView.self) else {
      Issue.record("accepted")
      return
    }
    let options = FlatBufferVerifier.Options(checksAlignment: false)
    #expect(mistake(buffer, as: EverythingView.self, options: options) == nil)
    let view = try #require(EverythingView(root: buffer))
    #expect(Everything(view) == Everything(seed: 12))
  }

  @Test("A nested buffer is checked, unless asked not to")
  func nested() throws {
    var object = Everything()
    object.nested = Leaf(name: "nested", value: 3)
    var bytes = object.buffer().array
    let view = try #require(EverythingView(root: ByteBuffer(bytes)))
    #expect(view.nested.flatMap { LeafView(root: $0) }?.name == "nested")
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("nested\0".utf8)) })
    bytes[start + 6] = 1
    guard case .unterminatedString = mistake(ByteBuffer(bytes), as: EverythingView.self) else {
      Issue.record("accepted")
      return
    }
    let options = FlatBufferVerifier.Options(checksNestedBuffers: false)
    #expect(mistake(ByteBuffer(bytes), as: EverythingView.self, options: options) == nil)
  }

  @Test("Type codes and members of a union vector come in pairs")
  func unionVectors() {
    var object = Everything()
    object.anys = [.text("a"), .text("b")]
    #expect(mistake(object.buffer(), as: EverythingView.self) == nil)
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
      case .mismatchedUnionVector = mistake(ByteBuffer(bytesOf(&builder, root: root)), as: EverythingView.self)
    else {
      Issue.record("accepted")
      return
    }
  }

  @Test("The offset to a union member that is not known must lead inside too")
  func unknownUnionMember() throws {
    var builder = FlatBufferBuilder()
    let name = builder.create("x")
    builder.startTable(fieldCount: 38)
    builder.add(name, at: 72)
    builder.add(name, at: 36)
    builder.add(200 as UInt8, default: 0, at: 70)
    let root = builder.endTable()
    var bytes = bytesOf(&builder, root: root, fileIdentifier: "EVRY")
    #expect(mistake(ByteBuffer(bytes), as: EverythingView.self) == nil)
    let table = try #require(FlatBufferTable(rootOf: ByteBuffer(bytes)))
    // The member's field is the table's last four bytes, in front of the string.
    let member = try #require(table.unionMember(at: 72))
    let field = try #require(
      (table.position..<bytes.count - 3).last { $0 % 4 == 0 && $0 + Int(bytes[$0]) == member.position })
    let last = UInt8(bytes.count - 1 - field)
    for (offset, isInside) in [(last, true), (last + 1, false), (0, false)] {
      bytes[field] = offset
      #expect(mistake(ByteBuffer(bytes), as: EverythingView.self) == (isInside ? nil : .invalidOffset(position: field)))
      #expect(try CppOracle.shared.get().verify([bytes]) == [isInside])
    }
  }

  @Test("Every error says in a sentence what is wrong, and where")
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
}
