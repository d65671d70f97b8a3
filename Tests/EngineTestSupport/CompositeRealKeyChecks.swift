import Dflat
import FlatBuffersCore
import Testing

/// Checks that no engine stores an object whose composite primary key has a NaN, and that it lets go of those that others have stored.
package struct CompositeRealKeyChecks {
  private let workspace: any Workspace
  private let errors: Collected<any Error>

  /// - Parameters:
  ///   - workspace: has no sightings, or those of another program only.
  ///   - errors: what its error handler was told.
  package init(_ workspace: any Workspace, _ errors: Collected<any Error>) {
    self.workspace = workspace
    self.errors = errors
  }

  private var sightings: [Sighting] {
    let all = workspace.fetch(for: Sighting.self).all()
    return all.sorted { ($0.species, $0.altitude) < ($1.species, $1.altitude) }
  }

  private func outcome(_ changes: @escaping @Sendable (any TransactionContext) -> Void) -> Bool? {
    PendingTransaction([Sighting.self], in: workspace, changes).outcome()
  }

  /// Expects that creations, upserts and updates are refused, whichever field is NaN.
  package func checkRefusals() {
    let owl = Sighting("owl", 1.5, -2.5)
    // A NaN outside of the key is a value like others.
    let kite = Sighting("kite", .infinity, -.infinity, altitude: .nan)
    #expect(
      outcome { context in
        for sighting in [owl, kite] { context.try(submit: SightingRequest(.create, sighting)) }
      } == true, "\(errors.values)")
    #expect(sightings == [kite, owl])
    for (longitude, latitude, fields) in [
      (Double.nan, Float(1), "longitude"), (1, -.nan, "latitude"), (-.nan, .nan, "longitude, latitude"),
      (.signalingNaN, .signalingNaN, "longitude, latitude"), (Double(nan: 7, signaling: false), 0, "longitude"),
    ] {
      let nowhere = Sighting("owl", longitude, latitude)
      expectRefusal("creation", fields) { _ in SightingRequest(.create, nowhere) }
      expectRefusal("upsert", fields) { _ in SightingRequest(.upsert, nowhere) }
      expectRefusal("update", fields) { workspace in
        workspace.fetch(for: Sighting.self).first(where: Sighting.species == "owl")
          .map { SightingRequest(.update($0), nowhere) }
      }
      #expect(sightings == [kite, owl])
    }
  }

  /// Rows of another program with NaN in their keys, two of which are alike.
  package static let storedByOthers = [
    Sighting("owl", .nan, 1, altitude: 1), Sighting("owl", .nan, 1, altitude: 2),
    Sighting("owl", 1, .nan, altitude: 3), Sighting("owl", .nan, .nan, altitude: 4),
  ]

  /// The bytes of a row, in hexadecimal digits.
  package static func hex(_ object: some FlatBuffersEncodable) throws -> String {
    var builder = FlatBufferBuilder()
    let root = object.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.finishedBuffer().withUnsafeBytes { bytes in
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// Expects that rows of others, of `storedByOthers` in this order, are read, are not stored anew, and are deleted one by one.
  package func check(_ others: [Sighting]) throws {
    let kite = Sighting("kite", 3, 4)
    #expect(outcome { $0.try(submit: SightingRequest(.create, kite)) } == true, "\(errors.values)")
    #expect(sightings == [kite] + others)
    #expect(workspace.fetch(for: Sighting.self).count(where: Sighting.species == "owl") == others.count)
    let first = try #require(sightings.dropFirst().first)
    expectRefusal("update", "longitude") { _ in
      SightingRequest(.update(first), Sighting("owl", first.longitude, first.latitude, altitude: 9))
    }
    for (number, other) in others.enumerated() {
      let workspace = workspace
      let isDeleted = outcome { context in
        let found = workspace.fetch(for: Sighting.self).where(Sighting.species == "owl").first { $0 == other }
        if let found { context.try(submit: SightingRequest(.delete(found), found)) }
      }
      #expect(isDeleted == true, "\(errors.values)")
      #expect(sightings == [kite] + others.dropFirst(number + 1))
    }
    #expect(errors.values.isEmpty, "\(errors.values)")
  }

  private func expectRefusal(
    _ kind: String, _ fields: String, _ request: @escaping @Sendable (any Workspace) -> SightingRequest?
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
    #expect(messages.count == 1 && messages[0].contains("NaN (\(fields))"), "\(kind): \(messages)")
    errors.removeAll()
  }
}
