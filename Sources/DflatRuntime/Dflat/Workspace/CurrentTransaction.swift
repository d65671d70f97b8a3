import FlatBuffersCore

/// The transaction that is running on a thread, as change requests need it.
@usableFromInline
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
    guard let frame = slot.unmanagedObject else {
      stopProgram("Requests to change or delete an object can only be made in the closure of performChanges.")
    }
    // `run` keeps the frame as long as the closure runs.
    return frame._withUnsafeGuaranteedRef { Frame.of($0).transaction.latest(object) }
  }

  package static var running: (any RunningTransaction)? { slot.object.map { Frame.of($0).transaction } }

  /// Runs `body` on the calling thread as the closure of `transaction`.
  package static func run(_ transaction: any RunningTransaction, _ body: () -> Void) {
    let outer = slot.object
    let frame = Frame(transaction)
    slot.object = frame
    defer { slot.object = outer }
    withExtendedLifetime(frame) { body() }
  }

  /// Spares every look-up the cast to a protocol.
  private final class Frame {
    let transaction: any RunningTransaction

    init(_ transaction: any RunningTransaction) {
      self.transaction = transaction
    }

    /// Only `run` puts anything into the slot.
    static func of(_ object: AnyObject) -> Frame { unsafeDowncast(object, to: Frame.self) }
  }

  private static let slot = ThreadLocal()
}
