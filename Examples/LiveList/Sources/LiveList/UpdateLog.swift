import ArgumentParser
import Dflat
import SQLiteDflat

/// The list without a terminal: prints one line for each update, and checks at its end that the list is right.
struct UpdateLog {
  let workspace: SQLiteWorkspace
  let query: ListQuery
  /// After how many updates it ends, once each writer has been seen; nil if it does not count them.
  let updates: Int?
  /// After how many seconds it ends; nil if nothing but updates ends it.
  let seconds: Double?

  /// How many seconds it waits at most for the updates that were asked for, and for the last one after all writers have ended.
  private static let longestRun = 120.0
  private static let longestWait = 60.0

  private enum Event {
    case update(FetchedResult<Player>)
    case runEnds, waitEnds
  }

  /// - Throws: `ExitCode.failure` if the list is wrong, or updates are missing.
  func run(startWriters: () throws -> Writers) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    var events = stream.makeAsyncIterator()
    let result = query.fetch(from: workspace)
    var list = Array(result)
    // Every update is wanted: none may be dropped while one is printed.
    let subscription = workspace.subscribe(fetchedResult: result) { continuation.yield(.update($0)) }
    defer { subscription.cancel() }
    let writers = try startWriters()
    printLine("\(query.filter.title), by \(query.order.rawValue): \(list.count) at first")

    let limit = seconds ?? (updates == nil ? nil : UpdateLog.longestRun)
    post(.runEnds, after: limit, to: continuation)
    var (count, isOver, unseen) = (0, false, writers.names)
    while !isOver, case .update(let result)? = await events.next() {
      count += 1
      unseen.subtract(apply(result, to: &list, number: count))
      if let updates { isOver = count >= updates && unseen.isEmpty }
    }
    let exitCode = await writers.end()

    // What the other process has written last may be told a little later.
    post(.waitEnds, after: UpdateLog.longestWait, to: continuation)
    while try list != stored() {
      switch await events.next() {
      case .update(let result)?:
        count += 1
        apply(result, to: &list, number: count)
      case .runEnds?: continue
      case .waitEnds?, nil:
        throw failure(
          "after \(count) updates, the list is not what is stored:\n\(text(of: list))\nis not\n\(text(of: try stored()))"
        )
      }
    }
    if exitCode != 0 { throw failure("the other process has ended with the exit code \(exitCode)") }
    if let updates, !isOver {
      let missing = unseen.isEmpty ? "" : ", and none by " + unseen.sorted().joined(separator: " and ")
      throw failure("\(count) of \(updates) updates in \(limit ?? 0) seconds\(missing)")
    }
    printLine("After \(count) updates, the list is what is stored: \(list.count) players.")
  }

  /// Brings the list up to date by the difference alone, and prints what is different.
  ///
  /// - Returns: who has written the players that are new or changed.
  @discardableResult
  private func apply(_ result: FetchedResult<Player>, to list: inout [Player], number: Int) -> Set<String> {
    guard let difference = result.difference else { return [] }
    difference.apply(to: &list) { result[$0] }
    let offsets = difference.insertions + difference.moves.map(\.to) + difference.changes.map(\.to)
    let writers = Set(offsets.compactMap { result[$0].writer })
    let names = writers.isEmpty ? "" : ", by " + writers.sorted().joined(separator: " and ")
    printLine("update \(number): \(difference.summary)\(names)")
    return writers
  }

  /// What the list has to be: all that is stored, filtered and sorted without the store's help.
  private func stored() throws -> [Player] {
    query.select(from: try workspace.fetch(for: Player.self).throwing.all())
  }

  private func text(of players: [Player]) -> String {
    players.map { "\($0.name) (\($0.team), \($0.points))" }.joined(separator: ", ")
  }

  private func post(_ event: Event, after seconds: Double?, to events: AsyncStream<Event>.Continuation) {
    guard let seconds else { return }
    Task {
      try await Task.sleep(for: .seconds(seconds))
      events.yield(event)
    }
  }

  private func failure(_ message: String) -> ExitCode {
    printError("error: \(message)")
    return .failure
  }
}

extension ResultDifference {
  /// What is different, in words.
  var summary: String {
    "\(insertions.count) inserted, \(removals.count) removed, \(moves.count) moved, \(changes.count) changed"
  }
}
