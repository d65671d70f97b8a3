import ConformanceSupport
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// The verdicts, by apps that store objects: each version's code is generated and compiled with the runtime, and each reads
/// what the other has stored.
///
/// `make test` takes a few pairs, `make -C Quality evolution` one for each fifty of the other proof, or DFLAT_STORE_PAIRS. DFLAT_KEEP=FOLDER keeps the programs.
@Suite("Verdicts proved by stored objects", .enabled(if: DataOracle.isAvailable))
struct StoreProofTests {
  static let count = LongForm.storePairs.size
  /// How many pairs go into one program.
  static let batchSize = 25

  /// Where the apps store their objects.
  enum Engine: CaseIterable {
    case sqlite, postgres
  }

  /// What was seen of a pair on one engine.
  struct Outcome {
    var forward: String?
    var backward: String?
    /// What the bytes show: also what only happens to look the same.
    var bytes: String?
    /// Objects that were compared.
    var rows = 0
    /// The fields that the older app drops when it stores an object of the newer one anew. Nothing if it could store none.
    var dropped: Set<String>?

    var fault: String? { forward ?? backward }
  }

  @Test("Stored objects are lost, misread or refused if and only if a finding says so")
  func proof() throws {
    var (wrong, harmful, harmless, byChance, skipped, rows) = (0, 0, 0, 0, 0, 0)
    var (rewritten, dropped, reported) = (0, 0, 0)
    var rules: [String: Int] = [:]
    for start in stride(from: 0, to: Self.count, by: Self.batchSize) {
      let pairs = (start..<min(start + Self.batchSize, Self.count)).map { StorePair(number: ProofTests.seed + $0) }
      let outcomes = try Self.outcomes(of: pairs)
      for (pair, engine) in pairs.flatMap({ pair in Engine.allCases.map { (pair, $0) } }) {
        guard let outcome = outcomes[engine]?[pair.number] else {
          skipped += 1
          continue
        }
        rows += outcome.rows
        if let fields = outcome.dropped, pair.isWithoutHarm {
          let notes = DroppedFields.reported(by: pair.findings, in: pair.schemas.new)
          rewritten += 1
          dropped += fields.count
          reported += notes.count
          // A field that is reported need not have a value in any of the few objects.
          #expect(fields.isSubset(of: notes), "dropped: \(fields), reported: \(notes). \(pair.text)")
        }
        for id in Set(pair.findings.map(\.rule.id)) { rules[id, default: 0] += 1 }
        if outcome.fault != nil { harmful += 1 } else { harmless += 1 }
        if pair.isHarmful, outcome.fault == nil, try outcome.bytes ?? Self.rareFault(of: pair) != nil {
          // The other proof looks at the bytes: padding that is zero, say, or a required vector that is absent, which the
          // store reads as an empty one.
          byChance += 1
          if ProofTests.environment["DFLAT_VERBOSE"] != nil {
            print("by chance: \(outcome.bytes ?? "rare") \(pair.text)")
          }
        } else if pair.isHarmful != (outcome.fault != nil) {
          wrong += 1
          if wrong <= 10 { Issue.record("\(engine): \(outcome.fault ?? "all is well"). \(pair.text)") }
        }
      }
    }
    print(
      """
      \(Self.count) pairs of stores on each engine from seed \(ProofTests.seed): \(rows) objects; \(harmful) harm them, \(harmless) do not; on \
      \(byChance) the store reads the same what other readers do not; \(skipped) are not for flatc; \(wrong) \
      verdicts are wrong.
      Of \(rewritten) pairs that harm nothing, the older app stored the objects of the newer one anew: \(reported) fields are \
      reported as dropped, and \(dropped) of them were; no other.
      Pairs of stores by rule: \(rules.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
      """)
    LongForm.record(rows, "objects that apps of two schema versions share, indexes and all")
    #expect(wrong == 0)
    #expect(skipped * 4 < Self.count * Engine.allCases.count)
    #expect(Self.count < 10 || (harmful > 0 && harmless > 0 && rows > Self.count * 5))
    // Few pairs are edited so, and most of what is reported has a value in some object.
    #expect(Self.count < 200 || (dropped > 0 && dropped * 2 >= reported))
  }

  /// What many more objects show.
  private static func rareFault(of pair: StorePair) throws -> String? {
    try ProofTests.shown([(pair.number, pair.old, pair.new)], objects: ObjectWriter.count..<100)[0].fault
  }

  // MARK: One batch

  /// A folder that is removed, unless DFLAT_KEEP names one to be left for whoever looks for a mistake.
  private static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    guard let kept = ProofTests.environment["DFLAT_KEEP"] else { return try withTemporaryFolder(body) }
    return try body(URL(fileURLWithPath: kept))
  }

  private static func outcomes(of pairs: [StorePair]) throws -> [Engine: [Int: Outcome]] {
    try withFolder { folder in
      let (objects, faults) = try write(pairs)
      let pairs = pairs.filter { objects[$0.number] != nil }
      // OLD as it is, OLD before it deprecated anything, which wrote what is there, and NEW.
      var old = try StoreProgram("old", pairs.map { ($0.number, $0.schemas.old) }, in: folder)
      let deprecating = pairs.filter(\.hasDeprecated)
      var live = try StoreProgram(
        "live", deprecating.map { ($0.number, $0.schemas.live) }, in: folder)
      var new = try StoreProgram("new", pairs.map { ($0.number, $0.schemas.new) }, in: folder)
      var results: [Engine: [Int: Outcome]] = [:]
      for engine in Engine.allCases {
        let stores = try Stores(engine, pairs, in: folder)
        results[engine] = try outcomes(of: pairs, objects, faults, stores, &old, &live, &new)
      }
      return results
    }
  }

  /// A store for each pair and direction.
  private struct Stores {
    private var places: [String: String] = [:]

    init(_ engine: Engine, _ pairs: [StorePair], in folder: URL) throws {
      for name in pairs.flatMap({ ["forward\($0.number)", "backward\($0.number)"] }) {
        switch engine {
        case .sqlite: places[name] = folder.appendingPathComponent(name + ".sqlite3").path
        case .postgres:
          let server = try PostgresServer.shared.get()
          try server.psql("DROP DATABASE IF EXISTS \(name)")
          try server.psql("CREATE DATABASE \(name)")
          places[name] = server.connection(to: name)
        }
      }
    }

    subscript(_ side: String, _ pair: StorePair) -> String { places["\(side)\(pair.number)"] ?? "" }
  }

  private static func outcomes(
    of pairs: [StorePair], _ objects: [Int: Objects], _ faults: [Int: String], _ stores: Stores,
    _ old: inout StoreProgram, _ live: inout StoreProgram, _ new: inout StoreProgram
  ) throws -> [Int: Outcome] {
    func jobs(
      _ side: String, _ pairs: [StorePair], writes: KeyPath<Objects, [Data]>? = nil, isUpdated: Bool = false,
      isRewritten: Bool = false
    ) -> [StoreProgram.Job] {
      pairs.map { pair in
        let data = writes.flatMap { objects[pair.number]?[keyPath: $0] } ?? []
        return .init(
          number: pair.number, store: stores[side, pair], objects: data, isUpdated: isUpdated, isRewritten: isRewritten)
      }
    }
    let deprecating = pairs.filter(\.hasDeprecated)
    _ = try live.run(jobs("forward", deprecating, writes: \.old))
    _ = try old.run(jobs("forward", pairs.filter { !$0.hasDeprecated }, writes: \.old))
    let ownForward = try old.run(jobs("forward", pairs))
    let forward = try new.run(jobs("forward", pairs, isUpdated: true))
    _ = try new.run(jobs("backward", pairs, writes: \.new))
    let ownBackward = try new.run(jobs("backward", pairs))
    let backward = try old.run(jobs("backward", pairs))
    let rewriting = try old.run(jobs("backward", pairs, isRewritten: true))
    let rewritten = try new.run(jobs("backward", pairs))
    var result: [Int: Outcome] = [:]
    for pair in pairs {
      guard let before = ownForward[pair.number], let after = forward[pair.number],
        let later = ownBackward[pair.number], let earlier = backward[pair.number]
      else { continue }
      #expect(before.errors.isEmpty && later.errors.isEmpty, "\(before.errors)\(later.errors) \(pair.text)")
      let (first, second) = (pair.schemas.old, pair.schemas.new)
      if (after.errors + earlier.errors).contains(where: ReflectiveReader.isUniqueFailure) {
        // Read backward, the index that was taken away is the one that is added.
        let rules = pair.findings.map(\.rule.id)
        #expect(rules.contains("unique-added") || rules.contains("index-removed"), "\(pair.text)")
      }
      result[pair.number] = Outcome(
        forward: ReflectiveReader.fault(of: before, after, writer: first, reader: second, isBackward: false),
        backward: ReflectiveReader.fault(of: later, earlier, writer: second, reader: first, isBackward: true)
          .map { "back: \($0)" },
        bytes: faults[pair.number], rows: before.rows.count + later.rows.count)
      if pair.isWithoutHarm, let rewriting = rewriting[pair.number], let last = rewritten[pair.number] {
        let errors = (rewriting.errors + last.errors).filter { !ReflectiveReader.isUniqueFailure($0) }
        #expect(errors.isEmpty, "\(errors) \(pair.text)")
        if rewriting.isRewritten {
          result[pair.number]?.dropped = DroppedFields(of: later, then: last, in: second).names
        }
      }
    }
    return result
  }

  /// Objects of both versions, as C++ writes them.
  private struct Objects {
    var old: [Data] = []
    var new: [Data] = []
  }

  private static func write(_ pairs: [StorePair]) throws -> (objects: [Int: Objects], faults: [Int: String]) {
    var batch = DataOracle.Batch()
    for pair in pairs {
      for isBackward in [false, true] {
        let (writer, reader) = isBackward ? (pair.new, pair.old) : (pair.old, pair.new)
        guard let root = ProofTests.roots(writer, reader).first else { continue }
        let objects = (0..<ObjectWriter.count).map { number in
          var object = ObjectWriter(writer, number: number, seed: pair.number, isLive: !isBackward)
          return DataOracle.Object(root: root.name, other: root.other, json: object.object(of: root.id))
        }
        batch.read(
          writing: writer.text(isLive: !isBackward, isForCpp: true), written: writer.text(isForCpp: true),
          reading: reader.text(isForCpp: true), backward: isBackward, objects)
      }
    }
    var answers = try DataOracle.shared.get().ask(batch)
    var objects: [Int: Objects] = [:]
    var faults: [Int: String] = [:]
    for pair in pairs {
      var own = Objects()
      var isRefused = false
      for isBackward in [false, true] {
        for _ in 0..<ObjectWriter.count {
          do {
            let answer = try answers.object()
            faults[pair.number] = faults[pair.number] ?? answer.fault
            if isBackward { own.new.append(Data(answer.bytes)) } else { own.old.append(Data(answer.bytes)) }
          } catch let error as ProgramFailure {
            if ProofTests.environment["DFLAT_VERBOSE"] != nil, !isRefused { print("skipped: \(error)") }
            isRefused = true
            answers.skip()
          }
        }
      }
      if !isRefused { objects[pair.number] = own }
    }
    return (objects, faults)
  }
}
