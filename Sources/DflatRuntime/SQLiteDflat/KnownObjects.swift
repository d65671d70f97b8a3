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

  /// Notes an object that has been read.
  func note<Element: Atom>(read object: Element) {
    table(of: Element.self)._withUnsafeGuaranteedRef { $0.set(.stored(object), of: object._rowid, isChange: false) }
  }

  /// Notes that the transaction has changed a row, to hold `object`.
  func noteChange<Element: Atom>(to object: Element) {
    keptCount += 1
    noteChange(to: keptCount <= KnownObjects.limit ? .stored(object) : .changed, of: Element.self, object._rowid)
  }

  /// Notes that the transaction has changed a row.
  func noteChange<Element: Atom>(to state: State, of type: Element.Type, _ rowid: Int64) {
    table(of: type)._withUnsafeGuaranteedRef { $0.set(state, of: rowid, isChange: true) }
  }

  /// Calls `body` with the type and the row of everything that the transaction has changed.
  func forEachChange(_ body: (ObjectIdentifier, Int64) -> Void) {
    var table = tables
    while let each = table {
      each.forEachChange { body(each.type, $0) }
      table = each.next
    }
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
    /// As it was read.
    case read(Unmanaged<AnyObject>)
    /// As the transaction has changed it.
    case stored(Unmanaged<AnyObject>)
    case deleted
    case changed

    var isNothing: Bool {
      if case .nothing = self { true } else { false }
    }

    var isChange: Bool {
      switch self {
      case .nothing, .read: false
      case .stored, .deleted, .changed: true
      }
    }

    func release() {
      switch self {
      case .read(let object), .stored(let object): object.release()
      case .nothing, .deleted, .changed: break
      }
    }
  }

  /// Different in each process, so that no file can have rows that are made to collide.
  private static let secrets = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max) | 1)

  init(_ type: ObjectIdentifier, next: KnownRows?) {
    self.type = type
    self.next = next
    // Most transactions change an object or two.
    mask = 3
    slots = KnownRows.allocate(4)
  }

  deinit {
    for place in 0...mask { slots[place].content.release() }
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
    case .read(let object), .stored(let object): .stored(object.takeUnretainedValue())
    case .deleted: .deleted
    case .changed: .changed
    }
  }

  func contains(_ rowid: Int64) -> Bool { !slots[place(of: rowid)].content.isNothing }

  func set(_ state: KnownObjects.State, of rowid: Int64, isChange: Bool) {
    if count * 2 > mask { resize(to: 2 * (mask + 1)) }
    let place = place(of: rowid)
    let former = slots[place].content
    if former.isNothing { count += 1 }
    let content: Content =
      switch state {
      case .stored(let object):
        // What has been changed stays so, also when it is read again.
        isChange || former.isChange ? .stored(.passRetained(object)) : .read(.passRetained(object))
      case .deleted: .deleted
      case .changed: .changed
      }
    slots[place] = Slot(rowid: rowid, content: content)
    former.release()
  }

  func forEachChange(_ body: (Int64) -> Void) {
    for place in 0...mask where slots[place].content.isChange { body(slots[place].rowid) }
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
