import FBSDiagnostics

/// The codes of what stops an emitter.
public enum EmitterCode {
  // D0301 said that 64-bit offsets cannot be turned into Swift: it is not given to another mistake.

  /// A name that `swift_name` gives to two things.
  public static let nameCollision = DiagnosticCode("D0302", "`swift_name` gives a name that is taken")
  /// A name that `swift_name` gives, and that generated code uses itself.
  public static let reservedName = DiagnosticCode("D0303", "`swift_name` gives a name that the generated code needs")
  /// A table whose objects would each need another one within them.
  public static let endlessTable = DiagnosticCode("D0304", "a table that needs itself")
  /// A type that a codable type of another file holds, and that is not codable by its own file.
  public static let notCodable = DiagnosticCode("D0305", "not codable where it is defined")
  /// What a plug-in says of a schema.
  public static let refusedByPlugin = DiagnosticCode("D0306", "a plug-in refuses the schema")
  /// A table whose smallest object is large.
  public static let largeTable = DiagnosticCode("D0307", "a table whose every object is large")
  /// A name that is not the schema's in Swift.
  public static let renamed = DiagnosticCode("D0308", "a name that is another one in Swift")
  /// A text after `swift_name` that is no name.
  public static let wrongSwiftName = DiagnosticCode("D0309", "`swift_name` without a name")
  /// An included file whose Swift is needed, and that is not compiled.
  public static let ungeneratedInclude = DiagnosticCode("D0310", "an included schema that is not compiled")

  /// All of them.
  public static let all = [
    nameCollision, reservedName, endlessTable, notCodable, refusedByPlugin, largeTable, renamed,
    wrongSwiftName, ungeneratedInclude,
  ]
}
