import Dflat
import Foundation

/// Tells, without reading it, that a row has not been changed since an object was read from it.
///
/// For each of a fixed number of places, the moment of the latest change is kept of any row that falls into it. So memory
/// is bounded, and a mistake can only be that an object has to be read again. Only what this workspace changes is noted:
/// the answer is good while its connection has the database locked for writing, after it has found out about commits of
/// others.
final class ChangedRows: @unchecked Sendable {
  // Unchecked because the variables are guarded by `lock`.
  private let lock = NSLock()
  /// Nothing is known of what happened before this moment. 0: of nothing.
  private var horizon: UInt64 = 0
  /// Nil before the first change.
  private var latest: UnsafeMutableBufferPointer<UInt64>?
  /// Rows that lie side by side, as those of one type do, have places of their own up to this number.
  private static let placeCount = 1 << 14

  deinit {
    latest?.deallocate()
  }

  /// Forgets what happened before `moment`: others may have changed anything.
  func forget(before moment: UInt64) {
    lock.withLock { horizon = moment }
  }

  /// Notes what a transaction has changed, whose commit will end `moment`.
  func note(_ objects: KnownObjects, at moment: UInt64) {
    lock.lock()
    defer { lock.unlock() }
    let latest = latest ?? ChangedRows.makePlaces()
    self.latest = latest
    objects.forEachChange { type, rowid in latest[ChangedRows.place(of: type, rowid)] = moment }
  }

  /// Whether a row is sure to be as it was when the object was read from it, at `moment`.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since moment: UInt64) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    // An object of another file has a moment of another clock.
    guard moment >= horizon, CommitClock.isSameClock(moment, horizon) else { return false }
    // What is being read while a transaction runs has the moment that its commit will end, and does not show it.
    return latest.map { $0[ChangedRows.place(of: type, rowid)] < moment } ?? true
  }

  private static func makePlaces() -> UnsafeMutableBufferPointer<UInt64> {
    let places = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: placeCount)
    places.initialize(repeating: 0)
    return places
  }

  private static func place(of type: ObjectIdentifier, _ rowid: Int64) -> Int {
    // Types are apart from each other by the golden ratio.
    let start = UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15 >> 32
    return Int(truncatingIfNeeded: start &+ UInt64(bitPattern: rowid)) & (placeCount - 1)
  }
}
