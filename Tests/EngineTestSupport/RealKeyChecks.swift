import Dflat
import Testing

/// Checks that no engine stores an object whose primary key is NaN.
package struct RealKeyChecks {
  private let workspace: any Workspace
  private let errors: Collected<any Error>

  /// - Parameters:
  ///   - workspace: has an empty database.
  ///   - errors: what its error handler was told.
  package init(_ workspace: any Workspace, _ errors: Collected<any Error>) {
    self.workspace = workspace
    self.errors = errors
  }

  private var notes: [String] {
    workspace.fetch(for: Reading.self).all().map { "\($0.place) \($0.note)" }.sorted()
  }

  private func outcome(_ changes: @escaping @Sendable (any TransactionContext) -> Void) -> Bool? {
    PendingTransaction([Reading.self], in: workspace, changes).outcome()
  }

  package func check() {
    #expect(
      outcome { context in
        for place in [0, -1.5, .infinity, -.infinity] {
          context.try(submit: ReadingRequest(.create, place: place))
        }
      } == true)
    let kept = ["-1.5 ", "-inf ", "0.0 ", "inf "]
    #expect(notes == kept)
    for nan in [Double.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false)] {
      expectRefusal("creation") { _ in ReadingRequest(.create, place: nan) }
      expectRefusal("upsert") { _ in ReadingRequest(.upsert, place: nan) }
      expectRefusal("update") { workspace in
        let first = workspace.fetch(for: Reading.self).first(where: Reading.place == 0)
        return first.map { ReadingRequest(.update($0), place: nan) }
      }
      #expect(notes == kept)
    }
    // -0.0 is the key 0.0.
    let isTaken = Locked(false)
    _ = outcome { context in
      do { try context.submit(ReadingRequest(.create, place: -0.0)) } catch TransactionError.objectAlreadyExists {
        isTaken.value = true
      } catch {}
    }
    #expect(isTaken.value)
    #expect(notes == kept)
  }

  private func expectRefusal(
    _ kind: String, _ request: @escaping @Sendable (any Workspace) -> ReadingRequest?
  ) {
    errors.removeAll()
    let workspace = workspace
    let wasRefused = Locked(false)
    let isStored = outcome { context in
      guard let request = request(workspace) else { return }
      do { try context.submit(request) } catch { wasRefused.value = true }
    }
    #expect(isStored == false && wasRefused.value, "\(kind)")
    let messages = errors.values.map { "\($0)" }
    #expect(messages.count == 1 && messages[0].contains("NaN (place)"), "\(kind): \(messages)")
    errors.removeAll()
  }
}
