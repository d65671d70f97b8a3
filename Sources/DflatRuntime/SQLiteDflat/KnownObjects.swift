import Dflat

/// The objects of which a transaction knows the state, by their types and rows.
///
/// No arrays in its variables: every object that is changed is looked up here and noted, and then to count references costs
/// more than the look-up.
struct KnownObjects {
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
  mutating func note<Element: Atom>(read object: Element) {
    table(of: Element.self)._withUnsafeGuaranteedRef { $0.set(.stored(object), of: object._rowid, isChange: false) }
  }

  /// Notes that the transaction has changed a row, to hold `object`.
  mutating func noteChange<Element: Atom>(to object: Element) {
    keptCount += 1
    noteChange(to: keptCount <= KnownObjects.limit ? .stored(object) : .changed, of: Element.self, object._rowid)
  }

  /// Notes that the transaction has changed a row.
  mutating func noteChange<Element: Atom>(to state: State, of type: Element.Type, _ rowid: Int64) {
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

  mutating func reserve<Element: Atom>(_ count: Int, of type: Element.Type) {
    table(of: type)._withUnsafeGuaranteedRef { $0.reserve(count) }
  }

  mutating func forgetAll() {
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

  private mutating func table<Element: Atom>(of type: Element.Type) -> Unmanaged<KnownRows> {
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
