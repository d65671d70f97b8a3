import ArgumentParser
import Dflat
import SQLiteDflat

/// Which players a list shows.
enum Filter: String, CaseIterable, ExpressibleByArgument {
  case all, red, green, blue, leaders

  /// The predicate of the query; nil for all players.
  var predicate: QueryExpression<Bool, Player>? {
    switch self {
    case .all: nil
    case .red: Player.team == .red
    case .green: Player.team == .green
    case .blue: Player.team == .blue
    case .leaders: Player.points >= 50
    }
  }

  var title: String {
    switch self {
    case .all: "all players"
    case .red, .green, .blue: "the \(rawValue) team"
    case .leaders: "players with 50 points or more"
    }
  }
}

/// In which order a list shows them. No two players are equal in it, since no two have one name.
enum Order: String, CaseIterable, ExpressibleByArgument {
  case points, name

  var keys: [OrderBy<Player>] {
    switch self {
    case .points: [Player.points.descending, Player.name.ascending]
    case .name: [Player.name.ascending]
    }
  }
}

/// What a list shows.
struct ListQuery {
  var filter = Filter.all
  var order = Order.points

  /// Fetches the players. The result can be subscribed to.
  func fetch(from workspace: SQLiteWorkspace) -> FetchedResult<Player> {
    let players = workspace.fetch(for: Player.self)
    return filter.predicate.map { players.where($0, orderBy: order.keys) } ?? players.all(orderBy: order.keys)
  }

  /// Filters and sorts players in Swift, without the store: what a list has to be equal to.
  func select(from players: some Sequence<Player>) -> [Player] {
    players
      .filter { player in
        switch filter {
        case .all: true
        case .red: player.team == .red
        case .green: player.team == .green
        case .blue: player.team == .blue
        case .leaders: player.points >= 50
        }
      }
      .sorted { lhs, rhs in
        switch order {
        case .points where lhs.points != rhs.points: lhs.points > rhs.points
        case .points, .name: lhs.name < rhs.name
        }
      }
  }
}

extension CaseIterable where Self: Equatable {
  /// The case after this one; the first one after the last.
  var next: Self {
    let rest = Self.allCases.drop { $0 != self }.dropFirst()
    return rest.first ?? Self.allCases.first ?? self
  }
}
