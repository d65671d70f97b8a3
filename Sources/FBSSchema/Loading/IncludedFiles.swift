/// How the compiler treats files that inputs include and that are not inputs themselves.
public enum IncludedFiles: Sendable {
  /// Included files are only read. An input may use the definitions in the files that it includes, directly or
  /// indirectly.
  case read
  /// Included files count as inputs as well. A file may use every definition that its entry files include, even if the
  /// file does not include the definition itself. An entry file is an input that no other input includes, directly or
  /// indirectly; of inputs that include each other, one is the entry file.
  ///
  /// `except` returns true for the identity of a file that does not become an input; `SourceProvider.identity(of:)`
  /// returns identities.
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
    // The visibility of definitions depends on the order of the includes, and not on the order of the inputs.
    order = readingOrder(from: entries)
    for (identity, file) in known where !files[file].isInput { files[file].isInput = !isExcepted(identity) }
  }

  /// Returns all files, each after those that it includes (cycles aside). Without recursion, since a chain of includes
  /// may have any length.
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

  /// The entry files: inputs that together reach every input, and none of which reaches another. Of inputs that reach
  /// each other, only one is an entry file.
  private var entries: [Int] {
    let inputs = files.indices.filter { files[$0].isInput }
    // No candidate is reached from one before it. So an input that reaches a candidate comes after it.
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

  /// Visits a file and all that it reaches. Returns false if an earlier walk has reached it.
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
