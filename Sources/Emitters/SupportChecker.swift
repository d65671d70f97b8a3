import FBSParser
import FBSSchema

/// Refuses, with a place, what the emitters do not write yet. Nothing is left out in silence.
struct SupportChecker {
  let schema: Schema

  func diagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for file in schema.files where file.isInput {
      for case .table(let id) in file.definitions {
        for field in schema[id].fields where !field.isDeprecated {
          if field.hasWideOffset { found.append(refuse("a 64-bit offset", at: field.declaration)) }
          if case .structure = field.type { found += noteOfKey(field.declaration, of: schema[id].name) }
        }
      }
      for case .union(let id) in file.definitions where schema[id].underlyingType.size > 1 {
        found.append(
          refuse(
            "a union with type codes of several bytes", at: schema[id].declaration, advice: "leave the type out for now"
          ))
      }
      for case .structure(let id) in file.definitions {
        for field in schema[id].fields {
          switch field.type {
          case .scalar, .enumeration: break
          case .structure, .array: found += noteOfKey(field.declaration, of: schema[id].name)
          }
        }
      }
    }
    return found
  }

  /// The field is read and written like any other; what a key adds is not there.
  private func noteOfKey(_ declaration: Declaration, of type: QualifiedName) -> [Diagnostic] {
    guard let key = declaration.attribute("key") else { return [] }
    return [
      Diagnostic(
        EmitterCode.notEmittedYet, .note, "vectors of `\(type.name)` cannot be sorted and searched in Swift yet",
        at: key.range, advice: "", notes: ["the key is a struct or an array; all else is generated as for other fields"]
      )
    ]
  }

  private func refuse(
    _ what: String, at declaration: Declaration, advice: String = "leave it out for now"
  ) -> Diagnostic {
    Diagnostic(
      EmitterCode.notEmittedYet, .error, "\(what) cannot be turned into Swift yet", at: declaration.nameRange,
      advice: advice,
      notes: ["the schema itself is valid; dflatc \(CompilerVersion.current) does not generate code for this"])
  }
}

/// The codes of what stops an emitter.
public enum EmitterCode {
  /// A 64-bit offset, or what a key of several numbers adds: valid, and not written by any emitter.
  public static let notEmittedYet = DiagnosticCode("D0301", "what has no Swift yet")
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
    notEmittedYet, nameCollision, reservedName, endlessTable, notCodable, refusedByPlugin, largeTable, renamed,
    wrongSwiftName, ungeneratedInclude,
  ]
}
