/// A subscribed object with its subscriber, while its row is not known because looking the row up has failed.
package final class UnplacedObject: @unchecked Sendable {
  // Unchecked: `rowid` and the subscriber's state are read and changed only under the observation's lock; `object` never
  // changes.

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
    endFailuresIfAllIsRead()
    return true
  }

  /// Removes the subscriber of an object that was kept, wherever it is by now.
  package func remove(_ unplaced: UnplacedObject) {
    if !take(unplaced), let rowid = unplaced.rowid { remove(unplaced.subscriber, fromRow: rowid) }
  }
}
