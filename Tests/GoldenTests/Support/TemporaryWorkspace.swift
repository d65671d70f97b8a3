import Dflat
import Foundation
import SQLiteDflat
import Testing

/// Gives `body` a store in a folder of its own, which is removed afterwards. An error that the store reports is a failure, unless
/// `errorHandler` takes it.
func withWorkspace(
  errorHandler: @escaping @Sendable (any Error) -> Void = { Issue.record("the store reports: \($0)") },
  _ body: (any Workspace) async throws -> Void
) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-golden-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let workspace = SQLiteWorkspace(
    filePath: folder.appending(path: "store.sqlite3").path, fileProtectionLevel: .noProtection,
    errorHandler: errorHandler)
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
