/// Joins the files of several runs: a file that several of them have read is there once.
public struct SourceJoin: Sendable {
  /// All files, in the order in which they came.
  public private(set) var sources = SourceMap()
  private var known: [String: FileID] = [:]

  /// No files yet.
  public init() {}

  /// Adds the files of a run.
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

/// Which file of a `SourceJoin` each file of one run is.
public struct FileRelocation: Sendable {
  private let ids: [FileID]

  init(_ ids: [FileID]) { self.ids = ids }

  /// A range of the run, among the joined files.
  public func callAsFunction(_ range: SourceRange) -> SourceRange {
    guard ids.indices.contains(range.file.index) else { return range }
    return SourceRange(file: ids[range.file.index], start: range.start, end: range.end)
  }

  /// A diagnostic of the run, with all its ranges among the joined files.
  public func callAsFunction(_ diagnostic: Diagnostic) -> Diagnostic { diagnostic.relocated { self($0) } }
}

extension Diagnostic {
  /// The diagnostic with all its ranges somewhere else.
  public func relocated(_ place: (SourceRange) -> SourceRange) -> Diagnostic {
    var relocated = Diagnostic(
      code, severity, message, at: place(range), advice: advice,
      labels: labels.map { .init(place($0.range), $0.text) }, notes: notes,
      fixes: fixes.map { fix in .init(fix.title, fix.edits.map { .init(place($0.range), $0.replacement) }) })
    relocated.omittedCount = omittedCount
    return relocated
  }
}
