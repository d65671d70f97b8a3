#if compiler(>=6.2)
  import Foundation
  import Testing

  /// An app whose declarations belong to the main actor uses the runtime, which calls it back on other threads.
  @Suite("Modules that belong to the main actor")
  struct MainActorModuleTests {
    private func check(_ app: String) throws -> ProcessResult {
      try withFolder { folder in
        try folder.write("import Dflat\nimport SQLiteDflat\n" + app, to: "app.swift")
        return try typecheck(["app.swift"], in: folder, isolation: "MainActor")
      }
    }

    /// An app that stores a type in the dictionary, and subscribes to its key.
    private func subscriber(toValuesOf declaration: String) -> String {
      """
      \(declaration) struct Settings: Codable, Equatable { var size = 3 }
      final class Model {
        private var subscription: (any Workspace.Subscription)?
        func show(_ settings: Settings?) {}
        func follow(_ workspace: SQLiteWorkspace) {
          workspace.dictionary["settings"] = Settings()
          show(workspace.dictionary["settings", Settings.self])
          subscription = workspace.dictionary.subscribe("settings", of: Settings.self) { _ in }
        }
      }
      """
    }

    @Test("Subscribing to a key whose value's conformance belongs to the main actor is refused by Swift")
    func aCallbackIsNotToldOfValuesThatBelongToTheMainActor() throws {
      let result = try check(subscriber(toValuesOf: ""))
      #expect(result.status != 0)
      #expect(result.error.contains("main actor-isolated conformance of 'Settings' to 'Decodable'"), "\(result.error)")
    }

    @Test("Subscribing to a key whose value belongs to no actor compiles")
    func aCallbackIsToldOfValuesThatBelongToNoActor() throws {
      let result = try check(subscriber(toValuesOf: "nonisolated"))
      #expect(result.status == 0, "\(result.error)")
    }

    @Test("Values that belong to the main actor can be set and read there")
    func valuesThatBelongToTheMainActorAreSetAndReadThere() throws {
      let result = try check(
        """
        struct Settings: Codable, Equatable { var size = 3 }
        func grow(_ workspace: SQLiteWorkspace) {
          var settings = workspace.dictionary["settings", Settings.self] ?? Settings()
          settings.size += 1
          workspace.dictionary["settings"] = settings
        }
        """)
      #expect(result.status == 0, "\(result.error)")
    }
  }
#endif
