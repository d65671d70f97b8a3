import ConformanceSupport
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// However a schema is split over files, and whichever of them are named, no harm passes: random histories of several files,
/// whose definitions move between them, are judged as a whole and file by file, beside data and `flatc --conform`.
///
/// DFLAT_HISTORY_PAIRS and DFLAT_SEED choose others.
@Suite("Verdicts on schemas of many files")
struct HistoryProofTests {
  static let pairCount = LongForm.historyPairs.size

  /// A pair of versions, each split over files.
  struct History {
    let pair: ProofTests.Pair
    let old: SchemaFiles
    let new: SchemaFiles

    init(_ number: Int) {
      pair = ProofTests.pair(number)
      var random = SeededGenerator(seed: number &* 7 &+ 3)
      let split = SchemaFiles.split(pair.old, &random)
      old = SchemaFiles(pair.old, split: split, &random)
      new = SchemaFiles(pair.new, split: SchemaFiles.moved(split, pair.new, &random), &random)
    }

    var text: String {
      func list(_ files: SchemaFiles) -> String {
        files.texts.sorted { $0.key < $1.key }.map { "// \($0.key)\n\($0.value)" }.joined()
      }
      return "\(pair.text)\n--- old files\n\(list(old))--- new files\n\(list(new))"
    }
  }

  private static func shown(_ findings: [Finding]) -> [Finding] {
    findings.filter {
      $0.rule.level == .storage && $0.severity == .error && $0.evidence == .data && $0.rule.id != "file-identifier"
        && !Set(EvolutionRule.storeRuleIDs).contains($0.rule.id)
    }
  }

  private static func lines(_ findings: [Finding]) -> [String] {
    findings.map { "\($0.severity) \($0.rule.id) \($0.evidence): \($0.message)" }.sorted()
  }

  @Test("All files of a history are judged as the data is", .enabled(if: DataOracle.isAvailable))
  func data() throws {
    let histories = (0..<Self.pairCount).map { History(ProofTests.seed + $0) }
    let all = try ProofTests.shown(
      histories.map { ($0.pair.number, $0.pair.old, $0.pair.new) }, objects: 0..<ObjectWriter.count)
    var (harmful, harmless) = (0, 0)
    for (history, shown) in zip(histories, all) where shown.refusal == nil {
      let transition = SchemaFiles.transition(history.old.texts, history.new.texts)
      #expect(transition.faults.old.isEmpty && transition.faults.new.isEmpty, "\(history.text)")
      let found = Self.shown(transition.findings)
      var fault = shown.fault
      if fault == nil, !found.isEmpty {
        let pair = (history.pair.number, history.pair.old, history.pair.new)
        fault = try ProofTests.shown([pair], objects: ProofTests.moreObjects)[0].fault
      }
      if fault == nil { harmless += 1 } else { harmful += 1 }
      #expect(
        (fault != nil) == !found.isEmpty,
        "data: \(fault ?? "all is well"); findings: \(Self.lines(transition.findings)). \(history.text)")

      // Asked about each file alone, as a hook may, the harm is not let through either.
      let each = (0..<SchemaFiles.count).map { file in
        SchemaFiles.transition(history.old.texts, history.new.texts, naming: [SchemaFiles.name(file)]).findings
      }
      if fault != nil {
        #expect(
          each.contains { $0.contains { $0.rule.level == .storage && $0.severity == .error } },
          "data: \(fault ?? ""). Nothing is found file by file. \(history.text)")
      } else if history.pair.old.root == nil, history.pair.new.root == nil {
        #expect(each.allSatisfy { Self.shown($0).isEmpty }, "\(each.map(Self.lines)). \(history.text)")
      }
    }
    print("\(Self.pairCount) histories of many files: \(harmful) harm data, \(harmless) do not.")
    #expect(harmful * 5 > Self.pairCount && harmless * 5 > Self.pairCount)
  }

  @Test("A type that only moved to another file is no finding, whichever file is named")
  func moves() throws {
    for number in 0..<200 {
      var random = SeededGenerator(seed: number)
      let model = SchemaModel.random(&random)
      guard (try? version(model.text())) != nil else { continue }
      let split = SchemaFiles.split(model, &random)
      let old = SchemaFiles(model, split: split, &random).texts
      let new = SchemaFiles(model, split: SchemaFiles.moved(split, model, &random), &random).texts
      for paths in [nil] + (0..<SchemaFiles.count).map({ [SchemaFiles.name($0)] }) {
        let found = SchemaFiles.transition(old, new, naming: paths).findings
        let kept = found.filter { $0.rule.id != "file-identifier" }
        #expect(kept.isEmpty, "\(paths ?? ["all"]): \(Self.lines(kept)) \(old) \(new)")
      }
    }
  }

  @Test("Two apps in one folder, whose names are the same, are judged as each is alone")
  func independentApps() throws {
    for number in 0..<150 {
      let apps = [History(number * 2 + 50_000), History(number * 2 + 50_001)]
      func files(_ side: (History) -> SchemaFiles) -> [String: String] {
        var all: [String: String] = [:]
        for (place, app) in apps.enumerated() {
          for (name, text) in side(app).texts { all["app\(place)/\(name)"] = "include \"same.fbs\";\n" + text }
          all["app\(place)/same.fbs"] = "namespace;\nenum Same: byte { only\(place) }\n"
        }
        return all
      }
      let together = SchemaFiles.transition(files(\.old), files(\.new))
      #expect(together.faults.old.isEmpty && together.faults.new.isEmpty)
      let alone = apps.flatMap { SchemaFiles.transition($0.old.texts, $0.new.texts).findings }
      #expect(Self.lines(together.findings) == Self.lines(alone), "\(apps.map(\.text).joined(separator: "\n"))")
    }
  }

  /// Whether what `flatc --conform` reports is about a field that is deprecated in both versions: no version reads it.
  private static func isAboutDeprecatedField(_ complaint: String, _ history: History) -> Bool {
    guard let name = complaint.split(whereSeparator: \.isWhitespace).last else { return false }
    return [history.pair.old, history.pair.new].allSatisfy { model in
      model.definitions.contains { $0.kind == .table && $0.members.contains { $0.name == name && $0.isDeprecated } }
    }
  }

  @Test(
    "An error of flatc --conform is an error of the file, or of the file that defines the type",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flatc")))
  func conformance() throws {
    var (reported, own, ofOthers, deprecated) = (0, 0, 0, 0)
    for number in 0..<60 {
      let history = History(number + 70_000)
      func isStopped(_ name: String) -> Bool {
        SchemaFiles.transition(history.old.texts, history.new.texts, naming: [name]).findings.contains {
          $0.rule.level == .storage && $0.severity == .error
        }
      }
      try withTemporaryFolder { folder in
        for (side, files) in [("old", history.old), ("new", history.new)] {
          let place = folder.appending(path: side)
          try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
          for (name, text) in files.texts { try Data(text.utf8).write(to: place.appending(path: name)) }
        }
        for file in 0..<SchemaFiles.count {
          let name = SchemaFiles.name(file)
          let result = try runProgram(
            "/usr/bin/flatc", ["-b", "--schema", "-o", "out", "--conform", "old/\(name)", "new/\(name)"], in: folder)
          let complaint = String(decoding: result.output + result.error, as: UTF8.self)
          guard result.status != 0, complaint.contains("conform") else { continue }
          reported += 1
          if isStopped(name) {
            own += 1
          } else if Self.isAboutDeprecatedField(complaint, history) {
            deprecated += 1
          } else {
            // The type is of an included file, and nothing in this one holds it: it is judged with its own file.
            ofOthers += 1
            #expect(
              (0..<SchemaFiles.count).contains { isStopped(SchemaFiles.name($0)) },
              "\(name): \(complaint) \(history.text)")
          }
        }
      }
    }
    print(
      """
      flatc --conform reports \(reported) files of 60 histories: \(own) are errors here, \(ofOthers) are errors of the \
      files that define the type, \(deprecated) are about fields that are deprecated in both versions.
      """)
    #expect(reported > 10 && own * 2 > reported)
  }
}
