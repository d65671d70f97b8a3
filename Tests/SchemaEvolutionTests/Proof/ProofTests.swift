import ConformanceSupport
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// A rule is right when data says so: objects are written under one version and read under the other.
///
/// `make -C Quality evolution` takes 10,000 pairs, or DFLAT_PAIRS, from DFLAT_SEED on; `make test` a fixed sample.
@Suite("Verdicts proved by data", .enabled(if: DataOracle.isAvailable))
struct ProofTests {
  static let environment = ProcessInfo.processInfo.environment
  static let pairCount = LongForm.pairs.size
  static let seed = LongForm.seed

  /// A pair, and what is said of it.
  struct Pair {
    let number: Int
    let old: SchemaModel
    let new: SchemaModel
    let edits: [String]
    let findings: [Finding]

    /// Findings that some object must show.
    var shown: [Finding] {
      findings.filter {
        $0.rule.level == .storage && $0.severity == .error && $0.evidence == .data && $0.rule.id != "file-identifier"
          && !Set(EvolutionRule.storeRuleIDs).contains($0.rule.id)
      }
    }

    var text: String {
      "pair \(number) (DFLAT_SEED=\(number) DFLAT_PAIRS=1): \(edits)\n--- old\n\(old.text())--- new\n\(new.text())"
        + "--- findings\n"
        + findings.map { "\($0.severity) \($0.rule.id) \($0.evidence): \($0.message)\n" }.joined()
    }
  }

  /// An edited schema. Some edits make none that is valid: then another is tried.
  static func pair(_ number: Int) -> Pair {
    var random = SeededGenerator(seed: number)
    for _ in 0..<1000 {
      let old = SchemaModel.random(&random)
      guard let before = try? version(old.text()) else { continue }
      var new = old
      let edits = new.edit(&random, harmful: SchemaModel.harmful, allowed: SchemaModel.allowed)
      guard !edits.isEmpty, let after = try? version(new.text()) else { continue }
      let findings = SchemaEvolution.compare(old: before, new: after)
      return Pair(number: number, old: old, new: new, edits: edits, findings: findings)
    }
    preconditionFailure("no valid schema in a thousand")
  }

  /// The tables whose objects are stored: the root, or all if there is none; with what they are called on the other side.
  static func roots(_ model: SchemaModel, _ other: SchemaModel) -> [(id: Int, name: String, other: String)] {
    model.definitions.filter { $0.kind == .table && (model.root == nil || model.root == $0.id) }.map { table in
      (table.id, table.fullName, other.place(table.id).map { other.definitions[$0].fullName } ?? "Missing")
    }
  }

  /// An object that was asked about.
  struct Question {
    let isBackward: Bool
    let root: String
    let other: String
  }

  static func add(
    _ number: Int, _ old: SchemaModel, _ new: SchemaModel, objects numbers: Range<Int>, _ batch: inout DataOracle.Batch
  ) -> [Question] {
    var questions: [Question] = []
    for isBackward in [false, true] {
      let (writer, reader) = isBackward ? (new, old) : (old, new)
      var objects: [DataOracle.Object] = []
      // Tables that only the new version has are nothing that the old one reads.
      for root in roots(writer, reader) where !isBackward || roots(reader, writer).contains(where: { $0.id == root.id })
      {
        for object in numbers {
          var object = ObjectWriter(writer, number: object, seed: number, isLive: !isBackward)
          objects.append(.init(root: root.name, other: root.other, json: object.object(of: root.id)))
          questions.append(Question(isBackward: isBackward, root: root.name, other: root.other))
        }
      }
      batch.read(
        writing: writer.text(isLive: !isBackward, isForCpp: true), written: writer.text(isForCpp: true),
        reading: reader.text(isForCpp: true), backward: isBackward, objects)
    }
    return questions
  }

  /// What objects of a pair show.
  struct Shown {
    /// By the C++ library.
    var fault: String?
    /// By our accessors.
    var ownFault: String?
    /// flatc does not take all that is valid here: see Known differences.
    var refusal: String?
    /// What `flatc --conform` says, if anything.
    var conforms: String?
    var crashes = false
  }

  /// Asks about pairs with some of their objects.
  static func shown(
    _ pairs: [(number: Int, old: SchemaModel, new: SchemaModel)], objects numbers: Range<Int>
  ) throws -> [Shown] {
    var batch = DataOracle.Batch()
    let questions = pairs.map { pair in
      let questions = add(pair.number, pair.old, pair.new, objects: numbers, &batch)
      batch.conform(old: pair.old.text(isForCpp: true), new: pair.new.text(isForCpp: true))
      return questions
    }
    var answers = try DataOracle.shared.get().ask(batch)
    return try zip(pairs, questions).map { pair, questions in
      let (old, new) = (try version(pair.old.text()).schema, try version(pair.new.text()).schema)
      var shown = Shown()
      for question in questions {
        do {
          let answer = try answers.object()
          shown.fault = answer.fault ?? shown.fault
          let (writer, reader) = question.isBackward ? (new, old) : (old, new)
          shown.ownFault =
            ReflectiveReader.fault(
              of: answer.bytes, writer: (writer, question.root), reader: (reader, question.other),
              isBackward: question.isBackward) ?? shown.ownFault
        } catch let error as ProgramFailure {
          shown.refusal = error.description
          answers.skip()
        }
      }
      do {
        (shown.conforms, shown.crashes) = try answers.conformance()
      } catch let error as ProgramFailure {
        shown.refusal = error.description
      }
      return shown
    }
  }

  /// Where a finding is not shown by some objects, it may be by one of many more: a rare value in a rare place.
  static let moreObjects = ObjectWriter.count..<400

  @Test("A finding about data is there if and only if some object is lost, misread or refused")
  func proof() throws {
    var (wrong, harmful, harmless, conformCount, missed, crashed, skipped) = (0, 0, 0, 0, 0, 0, 0)
    var rules: [String: Int] = [:]
    for start in stride(from: 0, to: Self.pairCount, by: 200) {
      let pairs = (start..<min(start + 200, Self.pairCount)).map { Self.pair(Self.seed + $0) }
      if Self.environment["DFLAT_VERBOSE"] != nil, Self.pairCount == 1 { print(pairs[0].text) }
      let all = try Self.shown(pairs.map { ($0.number, $0.old, $0.new) }, objects: 0..<ObjectWriter.count)
      for (pair, shown) in zip(pairs, all) {
        var shown = shown
        if let refusal = shown.refusal {
          skipped += 1
          if Self.environment["DFLAT_VERBOSE"] != nil { print("skipped: \(refusal.prefix(300))") }
          continue
        }
        if !pair.shown.isEmpty, shown.fault == nil || shown.ownFault == nil {
          let more = try Self.shown([(pair.number, pair.old, pair.new)], objects: Self.moreObjects)[0]
          shown.fault = shown.fault ?? more.fault
          shown.ownFault = shown.ownFault ?? more.ownFault
        }
        if shown.fault == nil { harmless += 1 } else { harmful += 1 }
        for id in Set(pair.findings.map(\.rule.id)) { rules[id, default: 0] += 1 }
        if (shown.fault != nil) != !pair.shown.isEmpty || (shown.ownFault != nil) != !pair.shown.isEmpty {
          wrong += 1
          if wrong <= 20 {
            Issue.record(
              "data: \(shown.fault ?? "all is well"); by our accessors: \(shown.ownFault ?? "all is well"). \(pair.text)"
            )
          }
        }
        if let conforms = shown.conforms {
          conformCount += 1
          #expect(!pair.findings.isEmpty, "flatc --conform: \(conforms). \(pair.text)")
        } else if shown.crashes {
          crashed += 1
        } else if shown.fault != nil {
          missed += 1
        }
      }
    }
    print(
      """
      \(Self.pairCount) pairs from seed \(Self.seed): \(harmful) harm data, \(harmless) do not, \(skipped) are not for flatc; \
      \(wrong) verdicts are wrong.
      flatc --conform reports \(conformCount), all of which are reported here; of the pairs that harm data it misses \(missed); \
      on \(crashed) it crashes.
      Pairs by rule: \(rules.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
      """)
    #expect(wrong == 0)
    #expect(skipped * 4 < Self.pairCount)
    #expect(Self.pairCount < 100 || (harmful * 5 > Self.pairCount && harmless * 5 > Self.pairCount))
  }
}
