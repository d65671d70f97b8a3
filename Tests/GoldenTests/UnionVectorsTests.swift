import FlatBuffersCore
import Golden_union_vectors
import Testing

@Suite("The output for vectors of unions, compiled and run")
struct UnionVectorsTests {
  private func note(_ text: String, _ builder: inout FlatBufferBuilder) -> Offset {
    let text = builder.create(text)
    return NoteReader.create(in: &builder, text: text)
  }

  /// A page with a member of each kind, one of none, and one of a kind that only a newer version knows.
  private func page(_ builder: inout FlatBufferBuilder) -> Offset {
    let (plain, warning) = (note("plain", &builder), note("mind the gap", &builder))
    let point = builder.create(PointValue(x: 1, y: 2))
    let text = builder.create("text")
    typealias Code = ItemReader.Code
    let items = builder.create(unionVector: [
      (Code.note, plain), (Code.warning, warning), (Code.point, point), (Code.text, text), (0, .null), (77, text),
    ])
    return PageReader.create(
      in: &builder, itemsType: items.types, items: items.members, coverType: Code.warning, cover: warning)
  }

  private func describe(_ item: ItemReader?) -> String {
    switch item {
    case nil: "-"
    case .note(let note)?: "note " + (note.text ?? "")
    case .warning(let note)?: "warning " + (note.text ?? "")
    case .point(let point)?: "point \(point.x) \(point.y)"
    case .text(let text)?: "text " + text
    case .unknown(let code)?: "unknown \(code)"
    }
  }

  @Test("Elements of a union vector are read as the members of their type codes")
  func membersAreReadByTheirCodes() throws {
    let reader = try PageReader(verifying: PageReader.buffer(page))
    #expect(
      reader.items.map(describe)
        == ["note plain", "warning mind the gap", "point 1.0 2.0", "text text", "-", "unknown 77"])
    #expect(reader.items.last.map(describe) == "unknown 77")
    #expect(describe(reader.cover) == "warning mind the gap")
    #expect(reader.next == nil)
  }

  @Test("An absent vector of unions reads as empty")
  func anAbsentVectorIsEmpty() throws {
    let reader = try PageReader(verifying: PageReader.buffer { PageReader.create(in: &$0) })
    #expect(reader.items.isEmpty)
    #expect(reader.cover == nil)
  }

  @Test("Type codes without members are refused by the verifier and ignored by the reader")
  func codesWithoutMembersAreRefusedAndReadAsFarAsTheyGo() throws {
    let buffer = try PageReader.buffer { builder in
      let text = builder.create("one")
      let codes = builder.create(vector: [9, 9] as [UInt8])
      let members = builder.create(vector: [text])
      return PageReader.create(in: &builder, itemsType: codes, items: members)
    }
    #expect(throws: FlatBufferError.self) { try PageReader(verifying: buffer) }
    #expect(PageReader(buffer)?.items.map(describe) == ["text one"])
    let alone = try PageReader.buffer { builder in
      let codes = builder.create(vector: [9] as [UInt8])
      return PageReader.create(in: &builder, itemsType: codes)
    }
    #expect(throws: FlatBufferError.self) { try PageReader(verifying: alone) }
    #expect(PageReader(alone)?.items.isEmpty == true)
  }

  @Test("The verifier refuses a table without its required union vector")
  func requiredVectorsMustBeThere() throws {
    let buffer = try BookReader.buffer { builder in
      let pages = builder.create(vector: [] as [Offset])
      return BookReader.create(in: &builder, pages: pages, extrasType: .null, extras: .null)
    }
    guard case .missingRequiredField? = mistake(in: buffer, as: BookReader.self) else {
      Issue.record("accepted")
      return
    }
  }

  @Test("No bytes make a reader trap, and bytes that the verifier accepts can be read")
  func damagedBytes() throws {
    let bytes = try PageReader.buffer(page).withUnsafeBytes { [UInt8]($0) }
    var accepted = 0
    for position in bytes.indices {
      for value: UInt8 in [0, 1, 2, 9, 0x7F, 0xFF] {
        var damaged = bytes
        damaged[position] = value
        let buffer = ByteBuffer(damaged)
        if buffer.isValid(as: PageReader.self) { accepted += 1 }
        guard let reader = PageReader(buffer) else { continue }
        _ = reader.items.map(describe)
        _ = describe(reader.cover)
      }
    }
    #expect(accepted > 0)
  }
}

/// What the verifier says of `buffer`.
func mistake<View: FlatBufferTableView>(
  in buffer: ByteBuffer, as view: View.Type, sizePrefixed: Bool = false
) -> FlatBufferError? {
  do throws(FlatBufferError) {
    _ = try View(verifying: buffer, sizePrefixed: sizePrefixed)
    return nil
  } catch {
    return error
  }
}
