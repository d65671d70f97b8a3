import Dflat
import SQLiteDflat

/// The transactions of this program. Each tells whether it was stored; if not, the workspace's error handler knows why.
struct Scores: Sendable {
  let workspace: SQLiteWorkspace
  /// Who writes: it is stored in every player that is changed.
  let writer: String

  func add(_ name: String, to team: Team, points: Int32) async -> Bool {
    await perform { [writer] transaction in
      let player = Player(name: name, team: team, points: points, writer: writer)
      transaction.try(submit: PlayerChangeRequest.upsertRequest(player))
    }
  }

  func raise(_ name: String, by points: Int32) async -> Bool {
    await change(name) { $0.points += points }
  }

  func transfer(_ name: String, to team: Team) async -> Bool {
    await change(name) { $0.team = team }
  }

  func delete(_ name: String) async -> Bool {
    await perform { [workspace] transaction in
      // Another process may have deleted the player: then there is nothing to do.
      guard let player = workspace.fetch(for: Player.self).where(Player.name == name).first,
        let request = PlayerChangeRequest.deletionRequest(player)
      else { return }
      transaction.try(submit: request)
    }
  }

  private func change(_ name: String, _ body: @escaping @Sendable (PlayerChangeRequest) -> Void) async -> Bool {
    await perform { [workspace, writer] transaction in
      guard let player = workspace.fetch(for: Player.self).where(Player.name == name).first,
        let request = PlayerChangeRequest.changeRequest(player)
      else { return }
      request.writer = writer
      body(request)
      transaction.try(submit: request)
    }
  }

  /// Runs a transaction, and tries it again if it fails: another process may have changed the same player meanwhile.
  private func perform(_ changes: @escaping @Sendable (any TransactionContext) -> Void) async -> Bool {
    for _ in 1...3 {
      if await workspace.performChanges([Player.self], changesHandler: changes) { return true }
      if Task.isCancelled { break }
    }
    return false
  }
}
