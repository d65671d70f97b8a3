import ConformanceSupport
import Foundation
import Testing

/// What the data models of random schemas, each with all that a store needs, do with random objects.
///
/// `MODELS_SEED=n` repeats a run, `MODELS_ROUNDS=n` makes more of them, with the seeds that follow, and `MODELS_KEEP=1`
/// keeps their files.
@Suite("Data models of random schemas", .serialized)
struct ModelConformanceTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let seeds: [Int] = {
    let first = environment["MODELS_SEED"].flatMap { Int($0) } ?? 1
    return (0..<(environment["MODELS_ROUNDS"].flatMap { Int($0) } ?? 1)).map { first &+ $0 }
  }()

  @Test(
    "Objects survive their bytes, which read the same through the accessors and C++, and a store", arguments: seeds)
  func roundTrip(seed: Int) throws {
    print("data models of random schemas: seed \(seed)")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let isKept = Self.environment["MODELS_KEEP"] != nil
    defer {
      if isKept {
        print("kept: \(folder.path)")
      } else {
        #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) }
      }
    }
    let (schemas, objects) = (8, 60)
    let result = try ModelRun(seed: seed, schemaCount: schemas, objectCount: objects, storedCount: 24, in: folder)
    #expect(result.objects.count == schemas * objects)
    // Else they were all refused.
    #expect(result.indexCount > 0)
    var failures = 0
    for (index, object) in result.objects.enumerated() where failures < 5 {
      let place = "seed \(seed), schema \(object.schema), object \(index), T\(object.table)"
      if object.ours != object.theirs || object.ours != object.rebuilt { failures += 1 }
      #expect(object.ours.hasPrefix("{"), "the data model reads something else: \(place)")
      #expect(object.ours == object.theirs, "C++ reads something else: \(place)")
      #expect(object.ours == object.rebuilt, "what C++ wrote is read differently: \(place)")
    }
    let store = result.store
    for complaint in store.complaints.prefix(10) { Issue.record("seed \(seed), in a store: \(complaint)") }
    #expect(store.created > 60 && store.updated > 20 && store.deleted > 20 && store.queries > 500 && store.found > 200)
    print(
      "seed \(seed): \(result.objects.count) objects, \(result.indexCount) indexes; in stores \(store.created) created, "
        + "\(store.refused) refused, \(store.updated) updated, \(store.deleted) deleted, \(store.queries) queries")
  }
}
