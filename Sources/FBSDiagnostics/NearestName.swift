/// Returns the candidate that `name` is probably a slip of: the nearest by edit distance, or nil if none is near enough
/// to be meant. Of equally near candidates, it is the first. Letter case counts half.
public func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
  let wanted = Array(name.utf8)
  guard !wanted.isEmpty, wanted.count <= 128 else { return nil }
  // At most a third of the letters may be wrong. The distance counts in halves.
  var limit = max(2, wanted.count * 2 / 3)
  var best: String?
  for candidate in candidates where abs(candidate.utf8.count - wanted.count) * 2 <= limit {
    let distance = editDistance(wanted, Array(candidate.utf8), limit: limit)
    if distance == 0 { continue }
    if distance < limit || (best == nil && distance == limit) {
      best = candidate
      limit = distance
    }
  }
  return best
}

/// Returns the candidate that `name` is probably a slip of; nil if there is none. Use it where there are so many
/// candidates that some have a single letter: a single letter never counts as a slip of another one.
public func nearestName(to name: String, inMany candidates: some Sequence<String>) -> String? {
  guard name.utf8.count == 1 else { return nearestName(to: name, in: candidates) }
  return nearestName(
    to: name, in: candidates.filter { $0.utf8.count > 1 || $0.lowercased() == name.lowercased() })
}

/// Returns the edit distance, in halves: insertions, deletions, replacements and swaps of neighbours count two each; a
/// change of letter case, one.
private func editDistance(_ first: [UInt8], _ second: [UInt8], limit: Int) -> Int {
  var beforeLast: [Int] = []
  var last = (0...second.count).map { $0 * 2 }
  for i in 1...first.count {
    var row = [i * 2]
    row.reserveCapacity(second.count + 1)
    for j in stride(from: 1, through: second.count, by: 1) {
      let same = first[i - 1] == second[j - 1]
      let replacement = same ? 0 : first[i - 1] | 0x20 == second[j - 1] | 0x20 ? 1 : 2
      var cost = min(last[j] + 2, row[j - 1] + 2, last[j - 1] + replacement)
      if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
        cost = min(cost, beforeLast[j - 2] + 2)
      }
      row.append(cost)
    }
    beforeLast = last
    last = row
    if let least = row.min(), least > limit { return least }
  }
  return last[second.count]
}
