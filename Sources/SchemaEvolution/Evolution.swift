import FBSDiagnostics
import FBSParser
import FBSSchema

/// Tells whether one version of a schema may replace another.
public enum SchemaEvolution {
  /// What changed between two versions and matters: all of it, each once, by place in NEW. A function of its arguments;
  /// the time that it takes grows with the size of the schemas.
  ///
  /// Comments that silence findings, and severities that a team has chosen, are not looked at: see `EvolutionReport`.
  public static func compare(old: SchemaVersion, new: SchemaVersion) -> [Finding] {
    var comparison = Comparison(VersionPair(old: old, new: new))
    comparison.run()
    return comparison.findings.sortedByPlace()
  }
}
