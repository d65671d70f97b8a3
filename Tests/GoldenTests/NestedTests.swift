import FlatBuffersCore
import Golden_nested
import Testing

@Suite("The output for nested FlatBuffers, compiled and run")
struct NestedTests {
  private typealias Envelope = Outer.EnvelopeReader
  private typealias Letter = Outer.Inner.LetterReader

  private func letter(_ text: String) throws -> ByteBuffer {
    try Letter.buffer { builder in
      let text = builder.create(text)
      return Letter.create(in: &builder, text: text)
    }
  }

  private func envelope(letter: ByteBuffer, in outer: ByteBuffer? = nil) throws -> ByteBuffer {
    try Envelope.buffer { builder in
      let bytes = builder.create(nested: letter)
      let inner = builder.create(nested: outer ?? .empty, alignment: 16)
      return Envelope.create(in: &builder, letter: bytes, envelope: inner, envelopeRoot: 7)
    }
  }

  @Test("The accessor for a nested FlatBuffer reads its root")
  func theRootOfNestedBytesIsRead() throws {
    let inner = try envelope(letter: letter("inside"))
    let reader = try #require(try Envelope(envelope(letter: letter("outside"), in: inner)))
    #expect(reader.letterRoot?.text == "outside")
    #expect(reader.envelopeRoot_?.letterRoot?.text == "inside")
    #expect(reader.envelopeRoot == 7)
    #expect(reader.envelope.elementsEqual(inner.withUnsafeBytes { [UInt8]($0) }))
  }

  @Test("An absent or empty nested FlatBuffer has no root")
  func anAbsentOneHasNoRoot() throws {
    let reader = try #require(
      try Envelope(
        Envelope.buffer { builder in
          let none = builder.create(vector: [] as [UInt8])
          return Envelope.create(in: &builder, envelope: none)
        }))
    #expect(reader.letterRoot == nil)
    #expect(reader.envelopeRoot_ == nil)
    #expect(reader.letter.isEmpty)
  }

  @Test("The verifier refuses a nested FlatBuffer that is damaged")
  func nestedBytesAreVerified() throws {
    let incomplete = try wideEnvelope()
    let outer = try envelope(letter: letter("fine"), in: incomplete)
    guard case .missingRequiredField? = mistake(in: outer, as: Envelope.self) else {
      Issue.record("accepted")
      return
    }
    var bytes = try envelope(letter: letter("checked")).withUnsafeBytes { [UInt8]($0) }
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("checked\0".utf8)) })
    bytes[start + 7] = 1
    guard case .unterminatedString? = mistake(in: ByteBuffer(bytes), as: Envelope.self) else {
      Issue.record("accepted")
      return
    }
  }

  private func wideEnvelope() throws -> ByteBuffer {
    try Envelope.buffer { Envelope.create(in: &$0, envelope: .null, wide: .init(value: 2.5)) }
  }

  @Test("A nested buffer is aligned as its own largest value needs")
  func bytesOfABuilderAreAlignedAsTheyNeed() throws {
    var inner = FlatBufferBuilder()
    let root = Envelope.create(in: &inner, envelope: .null, wide: .init(value: 2.5))
    try inner.finish(root, as: Envelope.self)
    var builder = FlatBufferBuilder()
    for padding in ["", "1", "22", "333", "4444", "55555555"] {
      builder.clear()
      _ = builder.create(padding)
      let nested = builder.create(nested: inner)
      let outer = Envelope.create(in: &builder, envelope: nested)
      try builder.finish(outer, as: Envelope.self)
      let buffer = builder.finishedBuffer()
      let reader = try #require(Envelope(buffer))
      #expect(reader.envelopeRoot_?.wide?.value == 2.5)
      let start = buffer.withUnsafeBytes { all in
        reader.envelope.withUnsafeBytes { nested in
          (nested.baseAddress ?? all.baseAddress).map { $0 - (all.baseAddress ?? $0) }
        }
      }
      #expect(start.map { $0 % 16 } == 0, "\(padding)")
    }
  }
}
