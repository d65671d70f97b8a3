import FBSDiagnostics
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

  private func refuse(_ what: String, at declaration: Declaration) -> Diagnostic {
    Diagnostic(
      EmitterCode.notEmittedYet, .error, "\(what) cannot be turned into Swift yet", at: declaration.nameRange,
      advice: "leave it out for now",
      notes: ["the schema itself is valid; dflatc \(CompilerVersion.current) does not generate code for this"])
  }
}
