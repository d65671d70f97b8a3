import Dflat
import FlatBuffersCore

/// Encodes objects as the bytes of rows, and reuses its memory.
@usableFromInline
package final class RowEncoder {
  /// The builder. It is behind a pointer, since Swift checks each access to a variable for exclusivity. Only `encode`
  /// uses it, and is not reentrant: objects encode themselves.
  private let builder = UnsafeMutablePointer<FlatBufferBuilder>.allocate(capacity: 1)

  /// Whether a thread may keep the builder's memory: false once an object was larger than 64 KiB. Most are much
  /// smaller.
  private var isSmall = true
  private static let keptSize = 1 << 16

  package init() {
    builder.initialize(to: FlatBufferBuilder())
  }

  deinit {
    builder.deinitialize(count: 1)
    builder.deallocate()
  }

  /// Returns the encoded bytes of `object`, valid until the encoder is used again or released.
  ///
  /// - Throws: `FlatBufferError` if the object is too large or nested too deeply, or has a value that cannot be stored.
  @usableFromInline
  package func encode(_ object: some FlatBuffersEncodable) throws -> UnsafeRawBufferPointer {
    builder.pointee.clear()
    let root = object.to(flatBufferBuilder: &builder.pointee)
    do {
      try builder.pointee.finish(root)
    } catch {
      isSmall = false
      throw error
    }
    let bytes = builder.pointee.finishedBytes
    if bytes.count > RowEncoder.keptSize { isSmall = false }
    return bytes
  }

  // MARK: Encoders of a thread

  /// Calls `body` with an encoder of the calling thread that no other code uses meanwhile.
  @inlinable
  package static func with<Result>(_ body: (RowEncoder) throws -> Result) rethrows -> Result {
    let encoder = take()
    defer { encoder.giveBack() }
    return try body(encoder)
  }

  /// Takes an encoder of the calling thread. It has to be given back on the same thread.
  @usableFromInline
  package static func take() -> RowEncoder { ThreadEncoders.ofThisThread.idle.popLast() ?? RowEncoder() }

  @usableFromInline
  package func giveBack() { if isSmall { ThreadEncoders.ofThisThread.idle.append(self) } }

  /// The idle encoders of a thread. Transactions reuse their memory.
  private final class ThreadEncoders {
    var idle: [RowEncoder] = []

    static var ofThisThread: ThreadEncoders { local.ownedObject { ThreadEncoders() } }

    private static let local = ThreadLocal(destructor: ThreadLocal.releasingObject)
  }
}
