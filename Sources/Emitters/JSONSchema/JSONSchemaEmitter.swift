import FBSParser
import FBSSchema

/// Emits a JSON Schema (draft 2020-12) of the JSON that `dflatc convert --strict-json` writes and reads.
struct JSONSchemaEmitter: Emitter {
  let name = "json-schema"
  let summary = "a JSON Schema of the data"
  let isDefault = false
  let needsStore = false
  let emitsSwift = false
  let usesSwiftNames = false

  func outputName(forStem stem: String) -> String { stem + ".schema.json" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    JSONSchemaWriter(unit).text()
  }
}
