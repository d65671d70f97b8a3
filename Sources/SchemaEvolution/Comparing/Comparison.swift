import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a schema: runs the stages in order and collects their findings.
///
/// Types are matched along the references between them, starting at the root tables. A worklist takes each pair of
/// types once, so that the time grows with the size of the schema, and recursive types terminate.
struct Comparison {
  let versions: VersionPair
  let matching: TypeMatching
  private(set) var findings: [Finding] = []
  /// The findings of level `storage` and severity error, by pair. The finding about a root table with a new version
  /// lists them.
  private var harmfulFindings: [TypePair: [Finding]] = [:]

  init(_ versions: VersionPair) {
    self.versions = versions
    matching = TypeMatching(versions)
  }

  mutating func run() {
    let old = versions.old.schema
    let roots = run(RootMatching(versions: versions, matching: matching)) { $0.run() }
    // A root that keeps its name on disk has objects to be read. One with a new version (`v`) leaves its objects
    // behind.
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
    // Types that no root table leads to.
    matchTables(old.tables.indices.map { TableID($0) }, evidence: .precaution)
    comparePairs(evidence: .precaution)
    for id in versions.oldIndex.ids where matching.newOf[id] == nil { matchByName(id, evidence: .precaution) }
    comparePairs(evidence: .precaution)
    matchUnread()
    // Reported last, since a stored type may live on where no root table leads to it, and is matched above.
    let removed = RemovedTypes(versions: versions, matching: matching, renewedTables: Set(renewed.map(\.old)))
    run(removed) { $0.report() }
    run(ServiceComparison(versions: versions, matching: matching)) { $0.compare() }
    markGoneFiles()
  }

  /// Marks the findings about definitions that are gone together with their file: NEW has no place at which to show
  /// them.
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

  /// Compares the pairs of the worklist until it is empty. Each comparison may add pairs.
  /// - Parameter evidence: `.precaution` if no stored object need hold the types.
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

  /// Matches and compares the pairs that only deprecated fields hold. No stored object need hold these types.
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

  /// Matches and compares tables that no matched type holds: by name, then, if they were renamed, by their fields.
  private mutating func matchTables(_ tables: [TableID], evidence: Finding.Evidence = .data) {
    var seen: Set<TableID> = []
    let chosen = tables.filter { matching.newOf[.table($0)] == nil && seen.insert($0).inserted }
    for id in chosen { matchByName(.table(id), evidence: evidence) }
    // This also matches renamed tables that these pairs hold.
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

  /// The request and response tables of all services.
  fileprivate var tablesOfServices: [TableID] {
    services.flatMap { $0.methods.flatMap { [$0.request, $0.response] } }
  }
}
