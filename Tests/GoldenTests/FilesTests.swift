import FlatBuffersCore
import Golden_files
import Testing

@Suite("The output for files, compiled and run")
struct FilesTests {
  private func box(sizePrefixed: Bool = false) throws -> ByteBuffer {
    try BoxReader.buffer(sizePrefixed: sizePrefixed) { builder in
      let flexible = builder.create(vector: [1, 2, 3] as [UInt8])
      let shared = builder.createShared("shared")
      #expect(builder.createShared("shared") == shared)
      let colors = builder.create(vector: [ColorValue.red, ColorValue(rawValue: 200)])
      return BoxReader.create(
        in: &builder, hashed: 0xDEAD_BEEF, flexible: flexible, shared: shared, color: ColorValue(rawValue: 77),
        colors: colors)
    }
  }

  @Test("A file identifier is written, and a buffer with another one is refused")
  func theIdentifierIsWrittenAndAskedFor() throws {
    #expect(BoxReader.fileIdentifier == "FILE" && BoxReader.fileExtension == "box")
    let buffer = try box()
    #expect(BoxReader.hasIdentifier(buffer) && !BoxReader.hasIdentifier(buffer, sizePrefixed: true))
    #expect(mistake(in: buffer, as: BoxReader.self) == nil)
    var bytes = buffer.withUnsafeBytes { [UInt8]($0) }
    bytes[4] = 0x66
    #expect(!BoxReader.hasIdentifier(ByteBuffer(bytes)))
    #expect(mistake(in: ByteBuffer(bytes), as: BoxReader.self) == .wrongFileIdentifier(position: 4))
    // The identifier is no obstacle to those who do not ask.
    #expect(BoxReader(ByteBuffer(bytes))?.hashed == 0xDEAD_BEEF)
  }

  @Test("A size prefix is written and read, and a wrong one is refused")
  func aSizePrefixIsWrittenReadAndChecked() throws {
    let buffer = try box(sizePrefixed: true)
    #expect(BoxReader.hasIdentifier(buffer, sizePrefixed: true))
    let reader = try BoxReader(verifying: buffer, sizePrefixed: true)
    #expect(reader.hashed == 0xDEAD_BEEF)
    #expect(BoxReader(buffer, sizePrefixed: true)?.shared == "shared")
    let longer = ByteBuffer(buffer.withUnsafeBytes { [UInt8]($0) } + [0])
    guard case .wrongSizePrefix? = mistake(in: longer, as: BoxReader.self, sizePrefixed: true) else {
      Issue.record("accepted")
      return
    }
  }

  @Test("Absent fields read as their defaults")
  func absentFieldsReadAsTheirDefaults() throws {
    let reader = try BoxReader(verifying: BoxReader.buffer { BoxReader.create(in: &$0) })
    #expect(reader.label == "none" && reader.numbers.isEmpty && reader.count == 3 && reader.color == .green)
    #expect(reader.shared == nil)
  }

  @Test("Enum values of newer schemas keep their numbers")
  func valuesOfNewerVersionsKeepTheirNumbers() throws {
    let reader = try #require(try BoxReader(box()))
    #expect(reader.color.rawValue == 77 && reader.colors.map(\.rawValue) == [0, 200])
    #expect(Array(reader.flexible) == [1, 2, 3])
  }

  @Test("The verifier ignores what the slot of a deprecated field holds")
  func aDeprecatedFieldIsSkippedWhateverItHolds() throws {
    let buffer = try BoxReader.buffer { builder in
      builder.startTable(fieldCount: 9)
      // The slot of `gone`: no string at all.
      builder.add(0xFFFF_FFFF as UInt32?, at: 8)
      return builder.endTable()
    }
    #expect(mistake(in: buffer, as: BoxReader.self) == nil)
  }
}
