#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The transaction that is running on a thread, as change requests need it.
package protocol RunningTransaction: AnyObject {
  func latest<Element: Atom & FlatBuffersEncodable>(_ object: Element) -> Element?
}

/// The transaction whose closure is running on the calling thread.
///
/// It is bound to the thread, not to the task: a task that the closure starts is not in the transaction.
public enum CurrentTransaction {
  /// The latest state of `object` in the running transaction; nil when it is no longer stored. An object that was never
  /// stored is looked up by its primary key.
  ///
  /// Calling this outside of a transaction's closure is a programming error.
  public static func latest<Element: Atom & FlatBuffersEncodable>(_ object: Element) -> Element? {
    guard let frame = slot.unmanagedValue else {
      preconditionFailure("Requests to change or delete an object can only be made in the closure of performChanges.")
    }
    return frame._withUnsafeGuaranteedRef { $0.transaction.latest(object) }
  }

  package static var running: (any RunningTransaction)? { slot.value?.transaction }

  /// Runs `body` on the calling thread as the closure of `transaction`.
  package static func run<T>(_ transaction: any RunningTransaction, _ body: () throws -> T) rethrows -> T {
    let outer = slot.value
    let frame = Frame(transaction)
    slot.value = frame
    defer { slot.value = outer }
    return try withExtendedLifetime(frame) { try body() }
  }

  /// Spares every look-up the cast to a protocol.
  private final class Frame {
    let transaction: any RunningTransaction

    init(_ transaction: any RunningTransaction) {
      self.transaction = transaction
    }
  }

  private static let slot = ThreadSlot<Frame>()
}

/// A variable of which every thread has its own, nil at first.
package final class ThreadSlot<Value: AnyObject>: Sendable {
  @usableFromInline let key: pthread_key_t

  package init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "No thread-specific key is left in this process.")
    self.key = key
  }

  deinit {
    pthread_key_delete(key)
  }

  // Inlinable, since it takes many times as long to find out about `Value` as to get it.

  /// The calling thread's value, for who uses it while it is sure to be kept.
  @inlinable
  package var unmanagedValue: Unmanaged<Value>? { pthread_getspecific(key).map { .fromOpaque($0) } }

  /// The calling thread's value. It is not retained: whoever sets it keeps it alive until it is set back.
  @inlinable
  package var value: Value? {
    get { unmanagedValue?.takeUnretainedValue() }
    set {
      pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    }
  }
}
