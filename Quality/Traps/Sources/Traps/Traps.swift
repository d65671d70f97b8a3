import Foundation

/// A mistake that ends a program.
struct Trap: Sendable {
  let name: String
  /// Parts of what the program has to print: what has happened, and what to write instead.
  let message: [String]
  let run: @Sendable () async throws -> Void

  init(_ name: String, _ message: String..., run: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.message = message
    self.run = run
  }

  /// All that can be made here. Those of PostgreSQL need a server, which the variable `TRAPS_DATABASE` names.
  static var all: [Trap] {
    let connection = ProcessInfo.processInfo.environment["TRAPS_DATABASE"]
    return store + ownTypes + engine("sqlite") { .temporary() } + (connection.map(postgres) ?? []) + building + reading
  }
}

@main
struct Traps {
  static func main() async throws {
    guard let name = CommandLine.arguments.dropFirst().first else {
      for trap in Trap.all { print(([trap.name] + trap.message).joined(separator: "|")) }
      return
    }
    guard let trap = Trap.all.first(where: { $0.name == name }) else {
      FileHandle.standardError.write(Data("There is no trap \(name).\n".utf8))
      exit(64)
    }
    try await trap.run()
    print("\(name) has ended nothing.")
  }
}
