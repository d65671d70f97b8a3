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
        }
      }
    }
    return found
  }

  private func refuse(_ what: String, at declaration: Declaration) -> Diagnostic {
    Diagnostic(
      EmitterCode.notEmittedYet, .error, "\(what) cannot be turned into Swift yet", at: declaration.nameRange,
      advice: "leave it out for now",
      notes: ["the schema itself is valid; dflatc \(CompilerVersion.current) does not generate code for this"])
  }
}
