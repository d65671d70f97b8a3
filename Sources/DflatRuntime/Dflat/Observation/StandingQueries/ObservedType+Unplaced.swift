/// An object that is subscribed to, and whose row could not be looked up yet: the look-up has failed. The
/// observation's lock guards it.
package final class UnplacedObject: @unchecked Sendable {
  // Unchecked: the variable is guarded by the observation's lock.

  package let subscriber: ObservationSubscriber
  package let object: any Atom
  /// The row, once it has been found.
  package var rowid: Int64?

  package init(_ subscriber: ObservationSubscriber, _ object: any Atom) {
    self.subscriber = subscriber
    self.object = object
  }
}

extension ObservedType {
  /// Keeps a subscriber until the row of its object is found.
  package func keep(_ unplaced: UnplacedObject) { unplacedObjects.append(unplaced) }

  /// Removes an object that was kept.
  ///
  /// - Returns: false if it is gone: its row has been found, or its subscription was cancelled.
  package func take(_ unplaced: UnplacedObject) -> Bool {
    guard let index = unplacedObjects.firstIndex(where: { $0 === unplaced }) else { return false }
    unplacedObjects.remove(at: index)
    return true
  }

  /// Removes the subscriber of an object that was kept, wherever it is by now.
  package func remove(_ unplaced: UnplacedObject) {
    if !take(unplaced), let rowid = unplaced.rowid { remove(unplaced.subscriber, fromRow: rowid) }
  }
}
