/// Joins the files of several runs: a file that several runs have read is included once.
public struct SourceJoin: Sendable {
  /// All files, in the order in which they came.
  public private(set) var sources = SourceMap()
  private var known: [String: FileID] = [:]

  /// Creates a join without files.
  public init() {}

  /// Adds the files of a run, and returns how its ranges map to the joined files.
  public mutating func add(_ other: SourceMap) -> FileRelocation {
    FileRelocation(
      other.files.map { file in
        if let id = known[file.path], sources[id].bytes == file.bytes { return id }
        let id = sources.add(path: file.path, bytes: file.bytes)
        known[file.path] = id
        return id
      })
  }
}

/// Maps each file of one run to the same file of a `SourceJoin`.
public struct FileRelocation: Sendable {
  private let ids: [FileID]

  init(_ ids: [FileID]) { self.ids = ids }

  /// Returns a range of the run as a range of the joined files.
  public func callAsFunction(_ range: SourceRange) -> SourceRange {
    guard ids.indices.contains(range.file.index) else { return range }
    return SourceRange(file: ids[range.file.index], start: range.start, end: range.end)
  }

  /// Returns a diagnostic of the run with all its ranges in the joined files.
  public func callAsFunction(_ diagnostic: Diagnostic) -> Diagnostic { diagnostic.relocated { self($0) } }
}

extension Diagnostic {
  /// Returns the diagnostic with each of its ranges mapped by `place`.
  public func relocated(_ place: (SourceRange) -> SourceRange) -> Diagnostic {
    var relocated = Diagnostic(
      code, severity, message, at: place(range), advice: advice,
      labels: labels.map { .init(place($0.range), $0.text) }, notes: notes,
      fixes: fixes.map { fix in .init(fix.title, fix.edits.map { .init(place($0.range), $0.replacement) }) })
    relocated.omittedCount = omittedCount
    return relocated
  }
}
