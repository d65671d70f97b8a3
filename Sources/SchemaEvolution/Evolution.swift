import FBSDiagnostics
import FBSParser
import FBSSchema

/// Decides whether one version of a schema may replace another.
public enum SchemaEvolution {
  /// Returns every change between two versions that matters, each once, in the order of the ranges in NEW. A pure
  /// function, whose time grows with the size of the schemas.
  ///
  /// It ignores comments that silence findings, and severities that a team has chosen: see `EvolutionReport`.
  public static func compare(old: SchemaVersion, new: SchemaVersion) -> [Finding] {
    var comparison = Comparison(VersionPair(old: old, new: new))
    comparison.run()
    return comparison.findings.sortedByPlace()
  }
}
