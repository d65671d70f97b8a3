import FBSParser
import FBSSchema

/// Emits the resolved schema as JSON, for tools that are not written in Swift: all that the file reaches, every name bound
/// and every default worked out. The form is described in Documentation/schema-json.md.
struct SchemaJSONEmitter: Emitter {
  let name = "json"
  let summary = "the resolved schema as JSON"
  let isDefault = false
  let needsStore = false
  let emitsSwift = false
  let usesSwiftNames = false

  func outputName(forStem stem: String) -> String { stem + "_schema.json" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    SchemaJSON(schema: unit.schema, file: unit.file).text()
  }
}
