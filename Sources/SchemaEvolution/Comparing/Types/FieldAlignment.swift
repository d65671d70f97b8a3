/// The fields that two versions of a type have in common, and those that were moved, added or removed.
///
/// A field is identified by its number. But if both versions have a name, with different numbers, the field was moved,
/// whatever has its old number now: code that reads the name reads other bytes.
struct FieldAlignment {
  /// The name and the number of a field.
  struct Entry {
    let name: String
    let number: Int
  }

  /// A field that both versions have, as indices into the lists `old` and `new`.
  struct Match {
    let old: Int
    let new: Int
  }

  /// The fields that both versions have, moved or not.
  private(set) var matched: [Match] = []
  /// The matches that were moved themselves, and not only because fields before them were added or removed.
  private(set) var moved: [Match] = []
  /// Fields of OLD that are gone.
  private(set) var removed: [Int] = []
  /// Fields of NEW that were added before existing fields, which had to make room.
  private(set) var inserted: [Int] = []
  /// Fields of NEW that were added without moving any other.
  private(set) var added: [Int] = []

  /// Aligns the fields of two versions.
  /// - Parameter isNumbered: whether the schema writes the numbers, rather than counting fields. Then adding and
  ///   removing moves nothing.
  init(old: [Entry], new: [Entry], isNumbered: Bool) {
    var newByNumber: [Int: Int] = [:]
    if zip(old, new).allSatisfy({ $0.number == $1.number && $0.name == $1.name }) {
      // The usual case: nothing changed, or fields were appended or cut off at the end.
      let common = min(old.count, new.count)
      matched = (0..<common).map { Match(old: $0, new: $0) }
      if old.count <= new.count {
        added = Array(common..<new.count)
        return
      }
    }
    matched = []
    added = []
    for (place, entry) in new.enumerated() { newByNumber[entry.number] = place }
    let newByName = Dictionary(new.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var newOf = [Int?](repeating: nil, count: old.count)
    var isTaken = [Bool](repeating: false, count: new.count)
    var hasMoves = false
    for (place, entry) in old.enumerated() {
      guard let same = newByName[entry.name] else { continue }
      newOf[place] = same
      isTaken[same] = true
      if new[same].number != entry.number { hasMoves = true }
    }
    if isNumbered || !hasMoves {
      for (place, entry) in old.enumerated() where newOf[place] == nil {
        guard let same = newByNumber[entry.number], !isTaken[same] else {
          removed.append(place)
          continue
        }
        newOf[place] = same
        isTaken[same] = true
      }
      for (place, same) in newOf.enumerated() {
        guard let same else { continue }
        matched.append(Match(old: place, new: same))
        if old[place].number != new[same].number { moved.append(Match(old: place, new: same)) }
      }
      added = isTaken.indices.filter { !isTaken[$0] }
    } else {
      align(old, new, newOf, isTaken)
    }
  }

  /// Matches fields by their order. A longest run of common names in the old order stays. The fields in a gap between
  /// two of these were renamed, added or removed. Other common names were moved.
  private mutating func align(_ old: [Entry], _ new: [Entry], _ newOf: [Int?], _ isTaken: [Bool]) {
    let oldOrder = old.indices.sorted { old[$0].number < old[$1].number }
    let newOrder = new.indices.sorted { new[$0].number < new[$1].number }
    var rank = [Int](repeating: 0, count: new.count)
    for (place, index) in newOrder.enumerated() { rank[index] = place }
    let common = oldOrder.filter { newOf[$0] != nil }
    let kept = Self.longestAscendingRun(common.map { newOf[$0].map { rank[$0] } ?? 0 })
    var stays: Set<Int> = []
    for place in kept { stays.insert(common[place]) }
    var newStays: Set<Int> = []
    for place in common {
      guard let same = newOf[place] else { continue }
      matched.append(Match(old: place, new: same))
      if stays.contains(place) { newStays.insert(same) } else { moved.append(Match(old: place, new: same)) }
    }
    // The gaps between the fields that stay correspond in OLD and NEW.
    let oldGaps = oldOrder.split(omittingEmptySubsequences: false) { stays.contains($0) }
    let newGaps = newOrder.split(omittingEmptySubsequences: false) { newStays.contains($0) }
    for (index, (oldGap, newGap)) in zip(oldGaps, newGaps).enumerated() {
      let gone = oldGap.filter { newOf[$0] == nil }
      let come = newGap.filter { !isTaken[$0] }
      for (place, same) in zip(gone, come) { matched.append(Match(old: place, new: same)) }
      removed += gone.dropFirst(come.count)
      let rest = come.dropFirst(gone.count)
      if index + 1 < oldGaps.count { inserted += rest } else { added += rest }
    }
    matched.sort { $0.old < $1.old }
  }

  /// Returns the indices of a longest increasing subsequence, in O(n log n) time.
  static func longestAscendingRun(_ values: [Int]) -> [Int] {
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for (place, value) in values.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var run: [Int] = []
    var place = ends.last ?? -1
    while place >= 0 {
      run.append(place)
      place = before[place]
    }
    return run.reversed()
  }
}
