#if os(Linux) || os(macOS)
  import FlatBuffersCore
  import Foundation
  import Testing

  @testable import BufferJobs

  /// The bytes are mapped, so that reading them despite the limit would succeed and fail the test.
  @Suite("Buffers of 2 GiB and more are refused")
  struct HugeBufferTests {
    /// Calls `body` with `count` mapped bytes: a valid FlatBuffer, then zeros, which take no memory.
    private func withHugeBuffer(_ count: Int, _ body: (ByteBuffer) throws -> Void) throws {
      let flags = MAP_PRIVATE | MAP_ANON | (noReserve ?? 0)
      let mapped = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0)
      let start = try #require(mapped != MAP_FAILED ? mapped : nil)
      defer { #expect(munmap(start, count) == 0) }
      var builder = FlatBufferBuilder()
      let root = Leaf(name: "there", value: 1).write(&builder)
      try builder.finish(root)
      builder.withFinishedBytes { start.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
      #expect(mprotect(start, count, PROT_READ) == 0)
      try body(ByteBuffer(unsafeBorrowing: UnsafeRawBufferPointer(start: start, count: count)))
    }

    #if os(Linux)
      private var noReserve: Int32? { MAP_NORESERVE }
    #else
      private var noReserve: Int32? { nil }
    #endif

    @Test("A buffer of 2 GiB or more is refused with an error that gives its size", arguments: [1 << 31, 3 << 30])
    func refused(count: Int) throws {
      try withHugeBuffer(count) { buffer in
        #expect(buffer.count == count)
        let error = FlatBufferError.bufferTooLarge(count: count, limit: Int(Int32.max))
        #expect(throws: error) { try buffer.verify(as: LeafView.self) }
        #expect(throws: error) { try LeafView(verifying: buffer) }
        #expect(throws: error) { try FlatBufferVerifier(buffer, options: .init(maximumByteCount: .max)) }
        #expect(throws: error) { try EditableFlatBuffer(copying: buffer) }
        #expect(LeafView(buffer) == nil && LeafView(root: buffer) == nil && FlatBufferTable(rootOf: buffer) == nil)
        #expect(FlatBufferWindow(buffer) == nil)
        #expect(!buffer.isValid(as: LeafView.self))
      }
    }

    @Test("A buffer of 2 GiB - 1 byte is read and verified")
    func accepted() throws {
      try withHugeBuffer(Int(Int32.max)) { buffer in
        #expect(try LeafView(verifying: buffer).name == "there")
        #expect(FlatBufferWindow(buffer)?.count == Int(Int32.max))
        let part = try #require(buffer.slice(0..<buffer.count - 1))
        #expect(LeafView(part)?.name == "there")
      }
    }
  }
#endif
