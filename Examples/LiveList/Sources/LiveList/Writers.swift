import SQLiteDflat

/// Who writes while the list is shown.
struct Writers {
  private let thread: Task<Void, Never>?
  private let process: WriterProcess?

  /// The names under which they write.
  static let threadName = "thread"
  static let processName = "process"

  /// Starts them.
  ///
  /// - Parameters:
  ///   - file: the file of the workspace, in which the other process writes.
  ///   - milliseconds: how long each of them rests after a change.
  ///   - report: called, on any thread, with what the process writes to standard error.
  /// - Throws: an error of the system if the process cannot be started.
  init(
    in workspace: SQLiteWorkspace, file: String, thread hasThread: Bool, process hasProcess: Bool,
    every milliseconds: Int, report: @escaping @Sendable (String) -> Void
  ) throws {
    process = hasProcess ? try WriterProcess(file: file, every: milliseconds, report: report) : nil
    let writer = Writer(
      scores: Scores(workspace: workspace, writer: Writers.threadName), pause: .milliseconds(milliseconds))
    thread = hasThread ? Task.detached { await writer.run() } : nil
  }

  /// The names of those that have been started.
  var names: Set<String> {
    Set((thread == nil ? [] : [Writers.threadName]) + (process == nil ? [] : [Writers.processName]))
  }

  /// Returns when all have finished what they had begun.
  ///
  /// - Returns: the exit code of the process; 0 if there is none.
  func end() async -> Int32 {
    thread?.cancel()
    await thread?.value
    return await process?.end() ?? 0
  }
}
