import ConformanceSupport
import Foundation
import Testing

/// What the generated accessors do with random objects of random schemas, against what flatc's generated C++ and the C++
/// library do with the same ones.
///
/// `ACCESSORS_SEED=n` repeats a run, `ACCESSORS_ROUNDS=n` makes more of them, with the seeds that follow.
@Suite("Accessors against C++", .serialized)
struct AccessorsConformanceTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let seeds: [Int] = {
    let first = environment["ACCESSORS_SEED"].flatMap { Int($0) } ?? 1
    return (0..<(environment["ACCESSORS_ROUNDS"].flatMap { Int($0) } ?? 1)).map { first &+ $0 }
  }()

  @Test("Swift and C++ read each other's buffers alike, and accept and refuse the same damaged bytes", arguments: seeds)
  func conformance(seed: Int) throws {
    print("accessors against C++: seed \(seed)")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("accessors-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let isKept = Self.environment["ACCESSORS_KEEP"] != nil
    defer {
      if isKept {
        print("kept: \(folder.path)")
      } else {
        #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) }
      }
    }
    let result = try ConformanceRun(seed: seed, schemaCount: 12, objectCount: 30, mutantCount: 60, in: folder)
    #expect(result.objects.count == 360)
    var counts: [ConformanceRun.Verdict: Int] = [:]
    var failures = 0
    for (index, object) in result.objects.enumerated() {
      let place = "seed \(seed), schema \(object.schema), object \(index), T\(object.table)"
      guard failures < 5 else { break }
      if object.ours != object.theirs || object.ours != object.rebuilt { failures += 1 }
      #expect(object.ours == object.theirs, "C++ reads something else: \(place)")
      #expect(object.ours == object.rebuilt, "what C++ wrote is read differently: \(place)")
      for (number, mutant) in object.mutants.enumerated() {
        counts[mutant.verdict, default: 0] += 1
        // The one difference: see `CppProgram.mended`.
        let isAccepted = mutant.verdict != .refused
        guard mutant.mistake.isEmpty != isAccepted else { continue }
        failures += 1
        Issue.record(
          "C++: \(mutant.verdict), we say \"\(mutant.mistake)\": \(place), damaged copy \(number)")
      }
    }
    // Else nothing was compared, or searched.
    #expect(result.searchedVectors > 0 || seed != 1)
    let (accepted, refused) = (counts[.accepted, default: 0], counts[.refused, default: 0])
    #expect(accepted > 1000 && refused > 1000)
    let missing = counts[.missingStruct, default: 0]
    print(
      "seed \(seed): \(result.objects.count) objects; of their damaged copies both accept \(accepted) and refuse \(refused); "
        + "\(missing) lack the struct of a union")
  }
}
