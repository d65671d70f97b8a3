import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a schema. Types are matched by the ways that lead to them, from the roots on: a list of pairs
/// is worked off, each pair once, so that time grows with the schema, and recursive types come to an end.
struct Comparison {
  /// A type of OLD and the one of NEW that it became.
  struct Pair: Hashable {
    let old: DefinitionID
    let new: DefinitionID
  }

  /// How two types that a field held before and now relate.
  enum Relation {
    /// They are versions of one type, which are compared on their own.
    case same
    /// They are of different kinds.
    case kind
    /// They are two types, whose bytes are read alike.
    case alike
    /// They are two types.
    case different
  }

  let old: SchemaVersion
  let new: SchemaVersion
  let oldIndex: DefinitionIndex
  let newIndex: DefinitionIndex
  var oldPlaces: PlaceFinder
  var newPlaces: PlaceFinder
  var findings: [Finding] = []
  /// Whether only one pair of types is tried out: nothing is told of it but whether bytes would be harmed.
  let isTrial: Bool

  /// The types of NEW that can be encoded: those that say so, and what they hold. Few schemas have any.
  private lazy var newCodables = new.schema.contents(
    reachedFrom: newIndex.ids.filter { new.schema.declaration(of: $0).attribute("codable") != nil })

  /// What each type of OLD became, and was.
  var newOf: [DefinitionID: DefinitionID] = [:]
  var oldOf: [DefinitionID: DefinitionID] = [:]
  /// Pairs, each as it was found; those before `next` are compared.
  var pairs: [Pair] = []
  var next = 0
  /// Types of OLD that something reads as another type: their names say nothing about them.
  var readAsOthers: Set<DefinitionID> = []
  /// Pairs that only deprecated fields hold.
  var waiting: [Pair] = []
  /// Which pairs lead to which, for those under a new version.
  var uses: [Pair: [Pair]] = [:]
  /// Where a pair's findings are in `findings`.
  var findingsOfPair: [Pair: Range<Int>] = [:]
  /// What trials said.
  private var trials: [Pair: Bool] = [:]
  /// Whether stored objects show what is reported now. Those of the given files show nothing of types that they do not hold.
  var evidence = Finding.Evidence.data
  /// The types that are judged in full whatever holds them: see `GivenTypes`.
  private lazy var oldGiven = GivenTypes(old.schema)
  private lazy var newGiven = GivenTypes(new.schema)
  var current: Pair?
  /// Root tables of OLD that have a new version.
  var renewedTables: Set<TableID> = []

  init(old: SchemaVersion, new: SchemaVersion) {
    self.init(
      old: old, new: new, oldIndex: DefinitionIndex(old.schema), newIndex: DefinitionIndex(new.schema), isTrial: false)
  }

  private init(
    old: SchemaVersion, new: SchemaVersion, oldIndex: DefinitionIndex, newIndex: DefinitionIndex, isTrial: Bool
  ) {
    self.old = old
    self.new = new
    self.oldIndex = oldIndex
    self.newIndex = newIndex
    self.isTrial = isTrial
    oldPlaces = PlaceFinder(old.sources)
    newPlaces = PlaceFinder(new.sources)
  }

  // MARK: Findings

  mutating func report(
    _ rule: EvolutionRule, _ message: String, harm: String, advice: String,
    at range: SourceRange, was oldRange: SourceRange,
    _ oldText: String, severity: Severity? = nil, evidence: Finding.Evidence? = nil,
    fix: Finding.FixIt? = nil, notes: [String] = []
  ) {
    if isTrial {
      // Only whether there is something matters.
      guard rule.level == .storage, evidence != .precaution, findings.isEmpty else { return }
      findings.append(
        Finding(
          rule: rule, severity: .error, message: "", harm: "", advice: "", range: .nowhere, oldRange: .nowhere,
          oldText: ""))
      return
    }
    var finding = Finding(
      rule: rule, severity: severity ?? rule.severity, message: message, harm: harm, advice: advice, range: range,
      oldRange: oldRange, oldText: oldText)
    finding.notes = notes
    finding.fix = fix
    finding.evidence = evidence ?? self.evidence
    if rule.level == .storage, self.evidence == .precaution {
      finding.evidence = .precaution
      if finding.severity == .error {
        if let current, oldGiven.contains(current.old) || newGiven.contains(current.new) {
          finding.notes.append("no root of the given files leads to the type: files that include this one may hold it")
        } else {
          finding.severity = .warning
          finding.notes.append("the type is of an included file, and nothing in the given files leads to it")
        }
      }
    }
    findings.append(finding)
  }

  // MARK: Pairs of types

  /// What became of a type that something holds, and compares the two later on.
  mutating func relate(_ first: DefinitionID, _ second: DefinitionID) -> Relation {
    let pair = Pair(old: first, new: second)
    if newOf[first] == second {
      noteUse(of: pair)
      return .same
    }
    guard first.kind == second.kind else { return .kind }
    if newOf[first] == nil, oldOf[second] == nil, isTrial || areVersionsOfOne(first, second) {
      match(pair)
      noteUse(of: pair)
      return .same
    }
    if isTrial { return .different }
    guard isAlike(pair) else { return .different }
    readAsOthers.insert(first)
    return .alike
  }

  /// The same for what only a deprecated field holds: nothing reads it, so that it waits until all that is read is known.
  mutating func relateLater(_ first: DefinitionID?, _ second: DefinitionID?) -> Relation {
    guard let first, let second else { return first == nil && second == nil ? .same : .different }
    if newOf[first] == second { return .same }
    guard first.kind == second.kind, areVersionsOfOne(first, second) else { return .different }
    if !isTrial { waiting.append(Pair(old: first, new: second)) }
    return .same
  }

  mutating func match(_ pair: Pair) {
    newOf[pair.old] = pair.new
    oldOf[pair.new] = pair.old
    pairs.append(pair)
  }

  private mutating func noteUse(of pair: Pair) {
    guard !isTrial, let current else { return }
    uses[current, default: []].append(pair)
  }

  /// Whether one name was taken away and the other one came, or both are the same.
  func areVersionsOfOne(_ first: DefinitionID, _ second: DefinitionID) -> Bool {
    let (oldName, newName) = (old.schema.name(of: first), new.schema.name(of: second))
    return oldName == newName || (newIndex.byName[oldName] == nil && oldIndex.byName[newName] == nil)
  }

  /// Whether data of the one type reads well as the other, though they are two types by their names.
  private mutating func isAlike(_ pair: Pair) -> Bool {
    if let known = trials[pair] { return known }
    var trial = Comparison(old: old, new: new, oldIndex: oldIndex, newIndex: newIndex, isTrial: true)
    trial.match(pair)
    // Whoever swaps types of hundreds of others is told that they are different.
    trial.work(limit: Self.trialLimit)
    let isAlike = trial.findings.isEmpty && trial.next == trial.pairs.count
    trials[pair] = isAlike
    return isAlike
  }

  private static let trialLimit = 200

  /// Whether two types that are none by their names have been found to be read alike.
  func isKnownAsAlike(_ pair: Pair) -> Bool { trials[pair] == true }

  /// Compares the pairs that are waiting, and those that they lead to.
  mutating func work(limit: Int = .max) {
    while next < pairs.count, next < limit, !isTrial || findings.isEmpty {
      let pair = pairs[next]
      next += 1
      current = pair
      let start = findings.count
      reportName(of: pair)
      reportCodable(pair)
      switch (pair.old, pair.new) {
      case (.table(let first), .table(let second)): compare(old.schema[first], new.schema[second])
      case (.structure(let first), .structure(let second)): compare(old.schema[first], new.schema[second])
      case (.enumeration(let first), .enumeration(let second)): compare(old.schema[first], new.schema[second])
      case (.union(let first), .union(let second)): compare(old.schema[first], new.schema[second])
      default: break  // Types of different kinds make no pair.
      }
      if !isTrial, findings.count > start { findingsOfPair[pair] = start..<findings.count }
      current = nil
    }
  }

  private mutating func reportName(of pair: Pair) {
    let (oldName, newName) = (old.schema.name(of: pair.old), new.schema.name(of: pair.new))
    guard oldName != newName else { return }
    let declaration = new.schema.declaration(of: pair.new)
    report(
      .typeRenamed,
      oldName.name == newName.name
        ? "\(pair.old.kind) `\(oldName)` is in another namespace: `\(newName)`"
        : "\(pair.old.kind) `\(oldName)` is called `\(newName)`",
      harm: "stored data is safe; code that uses the old name stops building",
      advice: "rename it in the code as well", at: declaration.nameRange,
      was: old.schema.declaration(of: pair.old).nameRange, "the old name")
  }

  /// A type that could be encoded. One that another codable type still holds is as codable as before.
  private mutating func reportCodable(_ pair: Pair) {
    let (first, second) = (old.schema.declaration(of: pair.old), new.schema.declaration(of: pair.new))
    guard let attribute = first.attribute("codable"), second.attribute("codable") == nil, !isTrial,
      !newCodables.contains(pair.new)
    else { return }
    report(
      .codable, "`\(new.schema.name(of: pair.new))` is codable no more",
      harm: "stored data is safe; code that encodes or decodes it, or what it holds, stops building",
      advice: "put `codable` back", at: second.nameRange, was: attribute.range, "codable here")
  }

  /// Compares what two types refer to, as part of something that holds them.
  mutating func relate(_ first: DefinitionID?, _ second: DefinitionID?) -> Relation {
    switch (first, second) {
    case (nil, nil): return .same
    case (let first?, let second?): return relate(first, second)
    default: return .different
    }
  }
}

extension SourceRange {
  /// The place of what is never shown.
  static let nowhere = SourceRange(file: FileID(0), start: 0, end: 0)
}
