import FBSDiagnostics

/// The diagnostic codes of the emitters.
public enum EmitterCode {
  // D0301 said that Swift cannot have 64-bit offsets. It is never used for another mistake.

  /// A name that `swift_name` gives to two things.
  public static let nameCollision = DiagnosticCode("D0302", "`swift_name` gives a name that is taken")
  /// A `swift_name` that generated code itself uses.
  public static let reservedName = DiagnosticCode("D0303", "`swift_name` gives a name that the generated code needs")
  /// A table of which each object would need another one within it.
  public static let endlessTable = DiagnosticCode("D0304", "a table that needs itself")
  /// A type that is not codable in its own file, held by a codable type of another file.
  public static let notCodable = DiagnosticCode("D0305", "not codable where it is defined")
  /// The message with which a plug-in refuses a schema.
  public static let refusedByPlugin = DiagnosticCode("D0306", "a plug-in refuses the schema")
  /// A table whose smallest object is large.
  public static let largeTable = DiagnosticCode("D0307", "a table whose every object is large")
  /// A name that differs between the schema and Swift.
  public static let renamed = DiagnosticCode("D0308", "a name that is another one in Swift")
  /// A text after `swift_name` that is no name.
  public static let wrongSwiftName = DiagnosticCode("D0309", "`swift_name` without a name")
  /// An included file that is not compiled, although its Swift is needed.
  public static let ungeneratedInclude = DiagnosticCode("D0310", "an included schema that is not compiled")

  /// All codes of the emitters.
  public static let all = [
    nameCollision, reservedName, endlessTable, notCodable, refusedByPlugin, largeTable, renamed,
    wrongSwiftName, ungeneratedInclude,
  ]
}
