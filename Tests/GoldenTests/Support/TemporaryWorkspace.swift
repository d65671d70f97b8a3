import Dflat
import Foundation
import SQLiteDflat
import Testing

/// Gives `body` a store in a folder of its own, which is removed afterwards. An error that the store reports is a failure.
func withWorkspace(_ body: (any Workspace) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-golden-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let workspace = SQLiteWorkspace(
    filePath: folder.appending(path: "store.sqlite3").path, fileProtectionLevel: .noProtection
  ) { error in
    Issue.record("the store reports: \(error)")
  }
  let outcome: Result<Void, any Error>
  do {
    outcome = .success(try await body(workspace))
  } catch {
    outcome = .failure(error)
  }
  await workspace.shutdown()
  try FileManager.default.removeItem(at: folder)
  try outcome.get()
}
