import Dflat
import SQLiteDflat

/// Changes players at random: it raises most, adds and deletes some, and has some change their team.
struct Writer: Sendable {
  let scores: Scores
  /// How long it rests after each change.
  let pause: Duration

  /// Writes until its task is cancelled, or it has made so many changes.
  ///
  /// - Parameter report: called with each change that was stored, in words.
  func run(changes limit: Int = .max, report: (String) -> Void = { _ in }) async {
    var count = 0
    while count < limit, !Task.isCancelled {
      if let change = await makeChange() {
        count += 1
        report(change)
      }
      // It throws when the task is cancelled, which the loop looks for.
      try? await Task.sleep(for: pause)
    }
  }

  private static let names = ["Ada", "Alan", "Barbara", "Donald", "Edsger", "Grace", "John", "Radia", "Tony"]

  /// A name for a new player.
  static func newName() -> String { (names.randomElement() ?? "Nobody") + "-\(Int.random(in: 100...999))" }

  /// - Returns: what was changed; nil if nothing was stored.
  private func makeChange() async -> String? {
    let players = scores.workspace.fetch(for: Player.self).all()
    let team = Team.allCases.randomElement() ?? .red
    guard let player = players.randomElement(), players.count >= 8 else { return await add(to: team) }
    let name = player.name
    switch Int.random(in: 0..<10) {
    // A list of this many players fits on most screens, and is not full.
    case 0..<2 where players.count < 16: return await add(to: team)
    case 0..<2: return await scores.delete(name) ? "deleted \(name)" : nil
    case 2: return await scores.transfer(name, to: team) ? "\(name) now plays for \(team)" : nil
    default:
      let points = Int32.random(in: 1...20)
      return await scores.raise(name, by: points) ? "raised \(name) by \(points)" : nil
    }
  }

  private func add(to team: Team) async -> String? {
    let name = Writer.newName()
    return await scores.add(name, to: team, points: .random(in: 0...60)) ? "added \(name)" : nil
  }
}
