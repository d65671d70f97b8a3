import FBSDiagnostics
import FBSParser
import FBSSchema

/// A stage of the comparison, which reads both versions and collects findings.
protocol ComparisonStage {
  var versions: VersionPair { get }
  var findings: [Finding] { get set }
}

extension ComparisonStage {
  var old: SchemaVersion { versions.old }
  var new: SchemaVersion { versions.new }
  var oldIndex: DefinitionIndex { versions.oldIndex }
  var newIndex: DefinitionIndex { versions.newIndex }

  /// Records a finding.
  /// - Parameters:
  ///   - severity: the severity; nil for the rule's own.
  ///   - evidence: the evidence; nil if stored objects show the change.
  ///   - breaksJSON: whether JSON of OLD has a name that NEW does not know.
  mutating func report(
    _ rule: EvolutionRule, _ message: String, harm: String, advice: String,
    at range: SourceRange, was oldRange: SourceRange,
    _ oldText: String, severity: Severity? = nil, evidence: Finding.Evidence? = nil,
    fix: Finding.FixIt? = nil, notes: [String] = [], breaksJSON: Bool = false
  ) {
    var finding = Finding(
      rule: rule, severity: severity ?? rule.severity, message: message, harm: harm, advice: advice, range: range,
      oldRange: oldRange, oldText: oldText)
    finding.notes = notes
    finding.fix = fix
    finding.evidence = evidence ?? .data
    finding.breaksJSON = breaksJSON
    findings.append(finding)
  }

  /// Returns the range of a definition that NEW lacks: an empty one at the start of the file that it was in. Nil if that
  /// file is gone, too.
  func rangeOfGone(_ declaration: Declaration) -> SourceRange? {
    guard let name = old.names[declaration.nameRange.file],
      let file = new.schema.files.first(where: { new.names[$0.id] == name })
    else { return nil }
    return SourceRange(file: file.id, start: 0, end: 0)
  }

  /// Records that a type has another name.
  mutating func reportRenamed(_ pair: TypePair, breaksJSON: Bool = false) {
    let (oldName, newName) = (old.schema.name(of: pair.old), new.schema.name(of: pair.new))
    report(
      .typeRenamed,
      oldName.name == newName.name
        ? "\(pair.old.kind) `\(oldName)` is in another namespace: `\(newName)`"
        : "\(pair.old.kind) `\(oldName)` is called `\(newName)`",
      harm: "stored data is safe; code that uses the old name stops building",
      advice: "rename it in the code as well", at: new.schema.declaration(of: pair.new).nameRange,
      was: old.schema.declaration(of: pair.old).nameRange, "the old name", breaksJSON: breaksJSON)
  }
}

extension Finding {
  /// Returns this finding as a precaution, since no stored object of the given files holds the type. A storage error
  /// becomes a warning, unless `isGiven` is true.
  /// - Parameter isGiven: Whether the type belongs to `GivenTypes`, which are judged in full all the same.
  func withoutStoredObjects(isGiven: @autoclosure () -> Bool) -> Finding {
    var finding = self
    finding.evidence = .precaution
    guard rule.level == .storage, severity == .error else { return finding }
    if isGiven() {
      finding.notes.append("no root of the given files leads to the type: files that include this one may hold it")
    } else {
      finding.severity = .warning
      finding.notes.append("the type is of an included file, and nothing in the given files leads to it")
    }
    return finding
  }
}

extension SourceRange {
  /// Whether the range holds no byte, and so stands for a file as a whole.
  var isEmpty: Bool { start == end }

  /// A range for findings that are never shown.
  static let nowhere = SourceRange(file: FileID(0), start: 0, end: 0)
}
