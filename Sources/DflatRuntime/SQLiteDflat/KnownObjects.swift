import Dflat

/// The objects of which a transaction knows the state, by their types and rows.
///
/// A class, and no arrays in its variables: every object that is changed is looked up here and noted, and then a check for
/// overlapping accesses costs more than the access, and a count of references as much.
final class KnownObjects {
  enum State {
    /// An object of the type.
    case stored(AnyObject)
    case deleted
    /// Not as it was read before the transaction, and not known.
    case changed
  }

  /// So many objects that were changed are kept, which may be changed again. To keep all costs more than the changes do,
  /// and memory besides.
  private static let limit = 256
  private var keptCount = 0

  /// The table of the type that was met last, and through it the others: a transaction has few types.
  private var tables: KnownRows?
  /// The table that was used last. Unmanaged, so that a look-up counts no references: `tables` keeps it.
  private var latest: Unmanaged<KnownRows>?

  /// What is known of the object in the row; nil when that is nothing.
  func state<Element: Atom>(of type: Element.Type, _ rowid: Int64) -> State? {
    find(type)?._withUnsafeGuaranteedRef { $0.state(of: rowid) }
  }

  /// Whether anything is known of the object in the row.
  func isKnown<Element: Atom>(_ type: Element.Type, _ rowid: Int64) -> Bool {
    find(type)?._withUnsafeGuaranteedRef { $0.contains(rowid) } ?? false
  }

  func set<Element: Atom>(_ state: State, of type: Element.Type, _ rowid: Int64) {
    table(of: type)._withUnsafeGuaranteedRef { $0.set(state, of: rowid) }
  }

  /// Notes that a row holds `object` now.
  func noteChange<Element: Atom>(to object: Element) {
    keptCount += 1
    set(keptCount <= KnownObjects.limit ? .stored(object) : .changed, of: Element.self, object._rowid)
  }

  func reserve<Element: Atom>(_ count: Int, of type: Element.Type) {
    table(of: type)._withUnsafeGuaranteedRef { $0.reserve(count) }
  }

  func forgetAll() {
    latest = nil
    tables = nil
    keptCount = 0
  }

  private func find<Element: Atom>(_ type: Element.Type) -> Unmanaged<KnownRows>? {
    let type = ObjectIdentifier(type)
    if let latest, latest._withUnsafeGuaranteedRef({ $0.type }) == type { return latest }
    var table = tables
    while let candidate = table {
      if candidate.type == type { return Unmanaged.passUnretained(candidate) }
      table = candidate.next
    }
    return nil
  }

  private func table<Element: Atom>(of type: Element.Type) -> Unmanaged<KnownRows> {
    if let table = find(type) {
      latest = table
      return table
    }
    let new = KnownRows(ObjectIdentifier(type), next: tables)
    tables = new
    let table = Unmanaged.passUnretained(new)
    latest = table
    return table
  }
}

/// What is known of the objects of one type: a hash table with open addressing, at most half full.
private final class KnownRows {
  let type: ObjectIdentifier
  /// The table of another type.
  let next: KnownRows?
  /// As many slots as `mask` has values, of which `count` are taken. Freed, with the objects, by `deinit` and `resize`.
  private var slots: UnsafeMutablePointer<Slot>
  private var mask: Int
  private var count = 0
  private let secret = KnownRows.secrets.0
  private let multiplier = KnownRows.secrets.1

  private struct Slot: BitwiseCopyable {
    var rowid: Int64 = 0
    var content = Content.nothing
  }

  /// A state in one word, that is copied without counting references: the slot owns one of its object's.
  private enum Content: BitwiseCopyable {
    case nothing
    case stored(Unmanaged<AnyObject>)
    case deleted
    case changed

    var isNothing: Bool {
      if case .nothing = self { true } else { false }
    }
  }

  /// Different in each process, so that no file can have rows that are made to collide.
  private static let secrets = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max) | 1)

  init(_ type: ObjectIdentifier, next: KnownRows?) {
    self.type = type
    self.next = next
    mask = 15
    slots = KnownRows.allocate(16)
  }

  deinit {
    for place in 0...mask {
      if case .stored(let object) = slots[place].content { object.release() }
    }
    slots.deallocate()
  }

  private static func allocate(_ size: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: size)
    slots.initialize(repeating: Slot(), count: size)
    return slots
  }

  func state(of rowid: Int64) -> KnownObjects.State? {
    switch slots[place(of: rowid)].content {
    case .nothing: nil
    case .stored(let object): .stored(object.takeUnretainedValue())
    case .deleted: .deleted
    case .changed: .changed
    }
  }

  func contains(_ rowid: Int64) -> Bool { !slots[place(of: rowid)].content.isNothing }

  func set(_ state: KnownObjects.State, of rowid: Int64) {
    if count * 2 > mask { resize(to: 2 * (mask + 1)) }
    let place = place(of: rowid)
    let former = slots[place].content
    let content: Content =
      switch state {
      case .stored(let object): .stored(.passRetained(object))
      case .deleted: .deleted
      case .changed: .changed
      }
    slots[place] = Slot(rowid: rowid, content: content)
    switch former {
    case .nothing: count += 1
    case .stored(let object): object.release()
    case .deleted, .changed: break
    }
  }

  func reserve(_ more: Int) {
    let needed = (count + more) * 2
    if needed > mask + 1 { resize(to: 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)) }
  }

  /// Where the row is, or would be.
  ///
  /// Four rows that lie side by side in the database, as they are mostly changed, do so here, in one line of the cache. The
  /// groups are spread by both halves of the product: with some multipliers, the upper bits alone would heap them up.
  private func place(of rowid: Int64) -> Int {
    let product = (UInt64(bitPattern: rowid >> 2) ^ secret).multipliedFullWidth(by: multiplier)
    let group = Int(truncatingIfNeeded: product.high ^ product.low) << 2
    var place = (group | Int(truncatingIfNeeded: rowid & 3)) & mask
    while slots[place].rowid != rowid, !slots[place].content.isNothing { place = (place &+ 1) & mask }
    return place
  }

  /// - Parameter size: a power of two.
  private func resize(to size: Int) {
    let old = UnsafeMutableBufferPointer(start: slots, count: mask + 1)
    slots = KnownRows.allocate(size)
    mask = size - 1
    for slot in old where !slot.content.isNothing { slots[place(of: slot.rowid)] = slot }
    old.deallocate()
  }
}
