import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a schema: runs the stages in their order, and collects what they find.
///
/// Types are matched by the ways that lead to them, from the roots on: a list of pairs is worked off, each pair once, so
/// that time grows with the schema, and recursive types come to an end.
struct Comparison {
  let versions: VersionPair
  let matching: TypeMatching
  private(set) var findings: [Finding] = []
  /// The storage errors of each pair that has some, for those under a new version.
  private var harmfulFindings: [TypePair: [Finding]] = [:]

  init(_ versions: VersionPair) {
    self.versions = versions
    matching = TypeMatching(versions)
  }

  mutating func run() {
    let old = versions.old.schema
    let roots = run(RootMatching(versions: versions, matching: matching)) { $0.run() }
    // What is reached from roots that keep their name on disk is data to be read; what only others reach is left behind.
    let stable = roots.filter { !versions.hasNewVersion($0) }
    let renewed = roots.filter { versions.hasNewVersion($0) }
    for root in stable { matching.match(root.types) }
    comparePairs()
    matchTables(old.roots.isEmpty ? old.givenTables : old.tablesOfServices)
    comparePairs()
    for root in stable { run(RootComparison(versions: versions, matching: matching)) { $0.compare(root) } }
    run(AdditionComparison(versions: versions, matching: matching)) { $0.compare(stable) }
    compareRenewed(renewed)
    matchUnread()
    run(FileComparison(versions: versions)) {
      $0.checkCollisions()
      $0.compareIdentifiers(roots)
    }
    // What no root leads to.
    matchTables(old.tables.indices.map { TableID($0) }, evidence: .precaution)
    comparePairs(evidence: .precaution)
    for id in versions.oldIndex.ids where matching.newOf[id] == nil { matchByName(id, evidence: .precaution) }
    comparePairs(evidence: .precaution)
    matchUnread()
    // A type is gone if nothing at all has become of it: one that was stored may live on where no root leads to.
    let removed = RemovedTypes(versions: versions, matching: matching, renewedTables: Set(renewed.map(\.old)))
    run(removed) { $0.report() }
    run(ServiceComparison(versions: versions, matching: matching)) { $0.compare() }
    markGoneFiles()
  }

  /// Marks what is gone with its file: NEW has no place that it could be shown at.
  private mutating func markGoneFiles() {
    let kept = Set(versions.new.names.values)
    let gone = Set(versions.old.names.filter { !kept.contains($0.value) }.keys)
    guard !gone.isEmpty else { return }
    for index in findings.indices where gone.contains(findings[index].oldRange.file) {
      let finding = findings[index]
      findings[index].isAboutGoneFile =
        [.typeRemoved, .serviceRemoved].contains(finding.rule) || finding.rule == .rootType && finding.range.isEmpty
    }
  }

  @discardableResult
  private mutating func run<Stage: ComparisonStage, Result>(
    _ stage: Stage, _ body: (inout Stage) -> Result
  ) -> Result {
    var stage = stage
    let result = body(&stage)
    findings += stage.findings
    return result
  }

  // MARK: Pairs of types

  /// Compares the pairs that are not compared yet, and those that they lead to.
  /// - Parameter evidence: Whether stored objects hold the types.
  private mutating func comparePairs(evidence: Finding.Evidence = .data) {
    while let pair = matching.pairs.popNext() {
      add(DefinitionComparison(pair: pair, versions: versions, relations: matching).typeFindings(), of: pair, evidence)
    }
  }

  private mutating func add(_ found: [Finding], of pair: TypePair, _ evidence: Finding.Evidence) {
    guard !found.isEmpty else { return }
    let judged =
      evidence == .data ? found : found.map { $0.withoutStoredObjects(isGiven: versions.isGiven(pair)) }
    let harmful = judged.filter { $0.rule.level == .storage && $0.severity == .error }
    if !harmful.isEmpty { harmfulFindings[pair] = harmful }
    findings += judged
  }

  /// The types that only deprecated fields hold. No stored object need hold them.
  private mutating func matchUnread() {
    while let pair = matching.nextUnreadPair() {
      if matching.isFree(pair) { matching.match(pair) }
      comparePairs(evidence: .precaution)
    }
  }

  private mutating func matchByName(_ id: DefinitionID, evidence: Finding.Evidence) {
    guard let pair = matching.namesake(of: id) else { return }
    if pair.new.kind == pair.old.kind {
      matching.match(pair)
    } else {
      let comparison = DefinitionComparison(pair: pair, versions: versions, relations: matching)
      add(comparison.kindFindings(), of: pair, evidence)
    }
  }

  /// Tables that stand for themselves: by name, and those that were renamed by what is in them.
  private mutating func matchTables(_ tables: [TableID], evidence: Finding.Evidence = .data) {
    var seen: Set<TableID> = []
    let chosen = tables.filter { matching.newOf[.table($0)] == nil && seen.insert($0).inserted }
    for id in chosen { matchByName(.table(id), evidence: evidence) }
    // Those that are held by others are found by the ways that lead to them.
    comparePairs(evidence: evidence)
    RenamedTables(versions: versions, matching: matching).match(chosen)
  }

  // MARK: New versions of root tables

  private mutating func compareRenewed(_ renewed: [RootPair]) {
    guard !renewed.isEmpty else { return }
    let before = findings.count
    for root in renewed where matching.isFree(root.types) { matching.match(root.types) }
    comparePairs()
    for root in renewed { run(RootComparison(versions: versions, matching: matching)) { $0.compare(root) } }
    let own = Array(findings[before...])
    findings.removeSubrange(before...)
    var report = RenewalReport(
      versions: versions, uses: matching.uses, harmfulFindings: harmfulFindings, ownFindings: own)
    report.run(renewed)
    findings += report.findings
  }
}

extension Schema {
  /// The tables that the given files define.
  fileprivate var givenTables: [TableID] {
    givenDefinitions.compactMap { if case .table(let id) = $0 { id } else { nil } }
  }

  /// The tables that services take and give.
  fileprivate var tablesOfServices: [TableID] {
    services.flatMap { $0.methods.flatMap { [$0.request, $0.response] } }
  }
}
