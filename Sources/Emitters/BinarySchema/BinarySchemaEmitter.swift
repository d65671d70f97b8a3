import BinarySchemas
import FBSParser
import FBSSchema

/// Emits the binary schema: the schema as a FlatBuffer of FlatBuffers' reflection schema, for tools that read data of
/// any type. It holds everything that the file reaches.
struct BinarySchemaEmitter: Emitter {
  let name = "bfbs"
  let summary = "the FlatBuffers binary schema"
  let isDefault = false
  let needsStore = false
  let emitsSwift = false
  let usesSwiftNames = false

  func outputName(forStem stem: String) -> String { stem + ".bfbs" }

  func emit(_ unit: EmissionUnit) throws(EmissionError) -> [UInt8] {
    var writer = ReflectionWriter(schema: unit.schema, file: unit.file)
    do {
      return try writer.write()
    } catch {
      throw EmissionError(path: unit.file.path, reason: "a binary schema cannot hold it: \(error)")
    }
  }
}
