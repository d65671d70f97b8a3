import Dflat
import FlatBuffersCore

/// Writes objects as the bytes of rows, always in the same memory.
@usableFromInline
package final class RowEncoder {
  /// Behind a pointer, because each access to a variable is checked. `encode` alone reaches it, and does not call itself:
  /// objects write themselves.
  private let builder = UnsafeMutablePointer<FlatBufferBuilder>.allocate(capacity: 1)

  /// Whether a thread may keep the builder's memory. Objects are mostly much smaller than 64 KiB.
  private var isSmall = true
  private static let keptSize = 1 << 16

  package init() {
    builder.initialize(to: FlatBufferBuilder())
  }

  deinit {
    builder.deinitialize(count: 1)
    builder.deallocate()
  }

  /// The bytes of `object`: good until the encoder is used again, or goes away.
  ///
  /// - Throws: `FlatBufferError` when the object is too large.
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

  /// Calls `body` with an encoder of the calling thread that nobody else uses meanwhile.
  @inlinable
  package static func with<Result>(_ body: (RowEncoder) throws -> Result) rethrows -> Result {
    let encoder = take()
    defer { encoder.giveBack() }
    return try body(encoder)
  }

  /// An encoder of the calling thread, which is to be given back on the same thread.
  @usableFromInline
  package static func take() -> RowEncoder { ThreadEncoders.ofThisThread.idle.popLast() ?? RowEncoder() }

  @usableFromInline
  package func giveBack() { if isSmall { ThreadEncoders.ofThisThread.idle.append(self) } }

  /// The encoders that a thread keeps, so that a transaction needs no memory of its own for what it encodes.
  private final class ThreadEncoders {
    var idle: [RowEncoder] = []

    static var ofThisThread: ThreadEncoders { local.ownedObject { ThreadEncoders() } }

    private static let local = ThreadLocal(destructor: ThreadLocal.releasingObject)
  }
}
