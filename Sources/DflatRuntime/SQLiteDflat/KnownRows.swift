import Dflat

/// What a transaction knows of the rows of one type.
///
/// What has become of a row is two bits in a block of 64, since rows that are changed together mostly lie side by side;
/// the objects that are known are kept apart.
final class KnownRows {
  let type: ObjectIdentifier
  /// The rows of another type.
  let next: KnownRows?
  // Unchecked: what `update` calls changes a value that it is handed, and nothing else.
  @exclusivity(unchecked) private var blocks = IntegerMap(initialValue: Block())
  /// Each owns a reference.
  @exclusivity(unchecked) private var objects = IntegerMap<Unmanaged<AnyObject>?>(initialValue: nil)

  /// Bits of 64 rows, by the lower bits of their numbers.
  private struct Block: BitwiseCopyable {
    var changed: UInt64 = 0
    var deleted: UInt64 = 0
    /// Rows of which an object is known.
    var known: UInt64 = 0
  }

  init(_ type: ObjectIdentifier, next: KnownRows?) {
    self.type = type
    self.next = next
  }

  deinit {
    objects.forEach { _, object in object?.release() }
    objects.deallocate()
    blocks.deallocate()
  }

  private static func bit(_ rowid: Int64) -> UInt64 { 1 << UInt64(truncatingIfNeeded: rowid & 63) }

  func state(of rowid: Int64) -> KnownObjects.State? {
    let block = blocks.value(of: rowid >> 6)
    let bit = KnownRows.bit(rowid)
    if block.deleted & bit != 0 { return .deleted }
    if block.known & bit != 0, let object = objects.value(of: rowid) { return .stored(object.takeUnretainedValue()) }
    return block.changed & bit != 0 ? .changed : nil
  }

  func contains(_ rowid: Int64) -> Bool {
    let block = blocks.value(of: rowid >> 6)
    return (block.changed | block.known) & KnownRows.bit(rowid) != 0
  }

  /// Notes the state of a row.
  ///
  /// - Parameter isChange: whether the transaction has changed the row. What it has once changed stays so.
  func set(_ state: KnownObjects.State, of rowid: Int64, isChange: Bool) {
    let bit = KnownRows.bit(rowid)
    var object: AnyObject?
    let wasKnown = blocks.update(rowid >> 6) { block in
      let wasKnown = block.known & bit != 0
      if isChange { block.changed |= bit }
      block.deleted &= ~bit
      block.known &= ~bit
      switch state {
      case .stored(let stored):
        object = stored
        block.known |= bit
      case .deleted: block.deleted |= bit
      case .changed: break
      }
      return wasKnown
    }
    guard wasKnown || object != nil else { return }
    let former = objects.update(rowid) { place in
      defer { place = object.map { .passRetained($0) } }
      return place
    }
    former?.release()
  }

  func reserve(_ count: Int) { objects.reserve(count) }

  func forEachChange(_ body: (Int64) -> Void) {
    blocks.forEach { number, block in
      var changed = block.changed
      while changed != 0 {
        body(number << 6 | Int64(changed.trailingZeroBitCount))
        changed &= changed - 1
      }
    }
  }
}
