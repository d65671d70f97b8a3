/// Which files' definitions each file may use. A file may use the definitions in another file if every entry file that
/// reaches the first also reaches the other. So a file means the same whichever entry file reaches it.
struct Visibility {
  /// For each file, one bit per file that it may use. Nil if each file may use all.
  private var rows: [[UInt64]]?
  /// The entry files, each with one bit per file that it reaches. Empty if each file may use all.
  private var entries: [(file: Int, reached: [UInt64])] = []

  init(_ files: [LoadedFile]) {
    let inputs = files.indices.filter { files[$0].isEntry }
    guard inputs.count > 1 else { return }
    let words = (files.count + 63) / 64
    var rows = [[UInt64]?](repeating: nil, count: files.count)
    for input in inputs {
      var reached = [UInt64](repeating: 0, count: words)
      var members: [Int] = [input]
      reached[input / 64] |= 1 << UInt64(input % 64)
      var next = 0
      while next < members.count {
        for file in files[members[next]].includes where !reached.has(file) {
          reached[file / 64] |= 1 << UInt64(file % 64)
          members.append(file)
        }
        next += 1
      }
      for file in members {
        guard let row = rows[file] else {
          rows[file] = reached
          continue
        }
        rows[file] = zip(row, reached).map { $0 & $1 }
      }
      entries.append((input, reached))
    }
    self.rows = rows.map { $0 ?? [UInt64](repeating: 0, count: words) }
  }

  func canSee(_ file: Int, from user: Int) -> Bool {
    guard let rows else { return true }
    return rows[user].has(file)
  }

  /// Returns an entry file that reaches both `user` and `file`. Returns nil if there is none, or if some entry file
  /// reaches `user` and is not itself reached by such an entry file.
  func entry(bringing file: Int, to user: Int) -> Int? {
    let users = entries.filter { $0.reached.has(user) }
    let bringing = users.filter { $0.reached.has(file) }
    let isBrought = users.allSatisfy { entry in bringing.contains { $0.reached.has(entry.file) } }
    return isBrought ? bringing.first?.file : nil
  }
}

extension [UInt64] {
  /// Returns whether the bit of a file is set.
  fileprivate func has(_ file: Int) -> Bool { self[file / 64] & 1 << UInt64(file % 64) != 0 }
}
