import ConformanceSupport
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// A rule is right when data says so: objects are written under one version and read under the other.
///
/// `make evolution` takes 10,000 pairs, or DFLAT_PAIRS, from DFLAT_SEED on; `make test` a fixed sample.
@Suite("Verdicts proved by data", .enabled(if: DataOracle.isAvailable))
struct ProofTests {
  static let environment = ProcessInfo.processInfo.environment
  static let pairCount = environment["DFLAT_PAIRS"].flatMap { Int($0) } ?? 400
  static let seed = environment["DFLAT_SEED"].flatMap { Int($0) } ?? 1

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
    var random = Random(seed: number)
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

  static func add(_ pair: Pair, _ batch: inout DataOracle.Batch) -> [Question] {
    var questions: [Question] = []
    for isBackward in [false, true] {
      let (writer, reader) = isBackward ? (pair.new, pair.old) : (pair.old, pair.new)
      var objects: [DataOracle.Object] = []
      // Tables that only the new version has are nothing that the old one reads.
      for root in roots(writer, reader) where !isBackward || roots(reader, writer).contains(where: { $0.id == root.id })
      {
        for number in 0..<ObjectWriter.count {
          var object = ObjectWriter(writer, number: number, seed: pair.number, isLive: !isBackward)
          objects.append(.init(root: root.name, other: root.other, json: object.object(of: root.id)))
          questions.append(Question(isBackward: isBackward, root: root.name, other: root.other))
        }
      }
      batch.read(
        writing: writer.text(isLive: !isBackward), written: writer.text(), reading: reader.text(),
        backward: isBackward, objects)
    }
    batch.conform(old: pair.old.text(), new: pair.new.text())
    return questions
  }

  @Test("A finding about data is there if and only if some object is lost, misread or refused")
  func proof() throws {
    let oracle = try DataOracle.shared.get()
    var (wrong, harmful, harmless, conformCount, missed, crashed, skipped) = (0, 0, 0, 0, 0, 0, 0)
    var rules: [String: Int] = [:]
    for start in stride(from: 0, to: Self.pairCount, by: 200) {
      let pairs = (start..<min(start + 200, Self.pairCount)).map { Self.pair(Self.seed + $0) }
      if Self.environment["DFLAT_VERBOSE"] != nil, Self.pairCount == 1 { print(pairs[0].text) }
      var batch = DataOracle.Batch()
      let questions = pairs.map { Self.add($0, &batch) }
      var answers = try oracle.ask(batch)
      for (pair, questions) in zip(pairs, questions) {
        let (old, new) = (try version(pair.old.text()).schema, try version(pair.new.text()).schema)
        var ownFault: String?
        var fault: String?
        var refusal: String?
        for question in questions {
          do {
            let answer = try answers.object()
            fault = answer.fault ?? fault
            let (writer, reader) = question.isBackward ? (new, old) : (old, new)
            ownFault =
              ReflectiveReader.fault(
                of: answer.bytes, writer: (writer, question.root), reader: (reader, question.other),
                isBackward: question.isBackward) ?? ownFault
          } catch let error as ProgramFailure {
            refusal = error.description
            answers.skip()
          }
        }
        var (conforms, crashes): (String?, Bool) = (nil, false)
        do { (conforms, crashes) = try answers.conformance() } catch let error as ProgramFailure {
          refusal = error.description
        }
        if let refusal {
          // flatc does not take all that is valid here: see Known differences.
          skipped += 1
          if Self.environment["DFLAT_VERBOSE"] != nil { print("skipped: \(refusal.prefix(300))") }
          continue
        }
        if fault == nil { harmless += 1 } else { harmful += 1 }
        for id in Set(pair.findings.map(\.rule.id)) { rules[id, default: 0] += 1 }
        if (fault != nil) != !pair.shown.isEmpty || (ownFault != nil) != !pair.shown.isEmpty {
          wrong += 1
          if wrong <= 20 {
            Issue.record(
              "data: \(fault ?? "all is well"); by our accessors: \(ownFault ?? "all is well"). \(pair.text)")
          }
        }
        if let conforms {
          conformCount += 1
          #expect(!pair.findings.isEmpty, "flatc --conform: \(conforms). \(pair.text)")
        } else if crashes {
          crashed += 1
        } else if fault != nil {
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
