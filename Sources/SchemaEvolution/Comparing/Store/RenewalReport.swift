import FBSDiagnostics
import FBSParser
import FBSSchema

/// Reports root tables with a new version, with one finding each that lists the changes which would have harmed stored
/// objects.
struct RenewalReport: ComparisonStage {
  let versions: VersionPair
  /// The pairs of types that the fields of each pair of types hold.
  let uses: [TypePair: [TypePair]]
  /// The findings of level `storage` and severity error, by pair.
  let harmfulFindings: [TypePair: [Finding]]
  /// The findings about the root tables and the types that only they hold.
  let ownFindings: [Finding]
  var findings: [Finding] = []

  mutating func run(_ renewed: [RootPair]) {
    // Source findings and notes are reported as they are. Changes that harm stored objects are the reason for the new
    // version.
    findings += ownFindings.filter { $0.rule.level == .source || $0.severity == .note }
    let keys = ownFindings.filter { $0.rule == .primaryKey }
    for root in renewed {
      let table = new.schema[root.new]
      let ofKey = keys.filter { finding in
        finding.range == table.declaration.nameRange
          || table.fields.contains { field in
            field.declaration.nameRange.file == finding.range.file
              && (field.declaration.nameRange == finding.range
                || field.declaration.attributes.contains { $0.range == finding.range }
                || field.declaration.typeRange == finding.range)
          }
      }
      report(root, changes(behind: root.types) + ofKey)
    }
  }

  /// Returns the harmful findings about all types that a root table reaches.
  private func changes(behind root: TypePair) -> [Finding] {
    guard !harmfulFindings.isEmpty else { return [] }
    var reached = [root]
    var known: Set<TypePair> = [root]
    var next = 0
    var result: [Finding] = []
    while next < reached.count {
      let pair = reached[next]
      next += 1
      result += harmfulFindings[pair] ?? []
      for inner in uses[pair] ?? [] where known.insert(inner).inserted { reached.append(inner) }
    }
    return result
  }

  private mutating func report(_ root: RootPair, _ changes: [Finding]) {
    let (first, second) = (old.schema[root.old], new.schema[root.new])
    let range = second.declaration.attribute("v")?.range ?? second.declaration.nameRange
    let oldRange = first.declaration.attribute("v")?.range ?? first.declaration.nameRange
    guard !changes.isEmpty else {
      report(
        .tableRenamed, "the version of root table `\(second.name)` changed, and nothing that asks for it",
        harm:
          "the store looks for `\(versions.storeName(second))`: objects in `\(versions.storeName(first))` stay behind",
        advice: "put the version back", at: range, was: oldRange, "stored as `\(versions.storeName(first))`",
        fix: first.version.flatMap { version in
          second.declaration.attribute("v").map {
            .init(title: "put the version back", range: $0.range, replacement: "v: \"\(version)\"")
          }
        })
      return
    }
    report(
      .versionRequired, "objects of `\(second.name)` start anew: its version changed, and with it what is stored",
      harm: "objects in `\(versions.storeName(first))` stay there, and are not read as `\(versions.storeName(second))`",
      advice: "have the app copy what it needs", at: range, was: oldRange, "stored as `\(versions.storeName(first))`")
    findings[findings.count - 1].labels = changes.sortedByPlace().map {
      .init($0.range, "\($0.rule.id): \($0.message)")
    }
  }
}
