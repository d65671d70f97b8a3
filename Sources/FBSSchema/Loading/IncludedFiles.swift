/// What becomes of the files that inputs include, and that are no inputs themselves.
public enum IncludedFiles: Sendable {
  /// They are read, and that is all. Each input means what its own includes make of it.
  case read
  /// They count as inputs as well, and each file means what the entry files that lead to it make of it: it may use what they
  /// alone include. An entry file is an input that no other input leads to.
  ///
  /// `except` names files that stay mere includes, by what `SourceProvider.identity(of:)` calls them.
  case compiled(except: @Sendable (_ identity: String) -> Bool = { _ in false })
}

extension SourceLoader {
  /// Marks the inputs and the entry files among all files, after the last one is read.
  mutating func markInputs(_ included: IncludedFiles) {
    guard case .compiled(let isExcepted) = included else {
      for file in files.indices { files[file].isEntry = files[file].isInput }
      return
    }
    let entries = entries
    for file in entries { files[file].isEntry = true }
    // What may be used where depends on the order of the includes, and not on that of the inputs.
    order = readingOrder(from: entries)
    for (identity, file) in known where !files[file].isInput { files[file].isInput = !isExcepted(identity) }
  }

  /// All files, each after those that it includes (cycles aside), without recursion: a chain may be as long as it likes.
  private func readingOrder(from entries: [Int]) -> [Int] {
    var order: [Int] = []
    var isKnown = Array(repeating: false, count: files.count)
    for entry in entries where !isKnown[entry] {
      isKnown[entry] = true
      var stack = [(file: entry, next: 0)]
      while let (file, next) = stack.last {
        guard next < files[file].includes.count else {
          order.append(file)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let included = files[file].includes[next]
        guard !isKnown[included] else { continue }
        isKnown[included] = true
        stack.append((included, 0))
      }
    }
    return order
  }

  /// Inputs from which every input is reached, and none of which leads to another. Of inputs that lead to each other, there is
  /// one.
  private var entries: [Int] {
    let inputs = files.indices.filter { files[$0].isInput }
    // None of these is reached from one before it; so what reaches one of them comes after it.
    var reached = FileWalk(files)
    let candidates = inputs.filter { reached.visit($0) }
    var others = FileWalk(files)
    return candidates.reversed().filter { others.visit($0) }.reversed()
  }
}

/// A walk along includes, which visits each file once.
private struct FileWalk {
  private let files: [LoadedFile]
  private var isVisited: [Bool]

  init(_ files: [LoadedFile]) {
    self.files = files
    isVisited = Array(repeating: false, count: files.count)
  }

  /// Visits a file and all that it reaches. False if an earlier walk has reached it.
  mutating func visit(_ file: Int) -> Bool {
    guard !isVisited[file] else { return false }
    isVisited[file] = true
    var queue = [file]
    while let file = queue.popLast() {
      for included in files[file].includes where !isVisited[included] {
        isVisited[included] = true
        queue.append(included)
      }
    }
    return true
  }
}
