import FlatBuffersCore

/// The part of a running transaction that change requests use.
@usableFromInline
package protocol RunningTransaction: AnyObject {
  func latest<Element: Atom & FlatBuffersEncodable>(_ object: Element) -> Element?
}

/// The transaction whose closure is running on the calling thread.
///
/// It is bound to the thread, not to the task: a task that the closure starts is not in the transaction.
public enum CurrentTransaction {
  /// Returns the latest state of `object` in the running transaction; nil if it is no longer stored.
  ///
  /// An object that was never stored is looked up by its primary key. Outside of a transaction's closure, the call
  /// stops the program.
  public static func latest<Element: Atom & FlatBuffersEncodable>(_ object: Element) -> Element? {
    guard let frame = slot.unmanagedObject else {
      stopProgram(
        "Requests to change or delete an object can only be made in the closure of performChanges, and on its thread.")
    }
    // `run` keeps the frame as long as the closure runs.
    return frame._withUnsafeGuaranteedRef { Frame.of($0).transaction.latest(object) }
  }

  /// The transaction whose closure is running on the calling thread; nil outside of closures.
  package static var running: (any RunningTransaction)? { slot.object.map { Frame.of($0).transaction } }

  /// Runs `body` on the calling thread as the closure of `transaction`.
  package static func run(_ transaction: any RunningTransaction, _ body: () -> Void) {
    let outer = slot.object
    let frame = Frame(transaction)
    slot.object = frame
    defer { slot.object = outer }
    withExtendedLifetime(frame) { body() }
  }

  /// The object in the thread's slot. `latest(_:)` casts it unchecked, which is cheaper than a cast to a protocol.
  private final class Frame {
    let transaction: any RunningTransaction

    init(_ transaction: any RunningTransaction) {
      self.transaction = transaction
    }

    /// Returns an object of the slot as a frame. Unchecked: only `run` writes to the slot, and it writes frames.
    static func of(_ object: AnyObject) -> Frame { unsafeDowncast(object, to: Frame.self) }
  }

  private static let slot = ThreadLocal()
}
