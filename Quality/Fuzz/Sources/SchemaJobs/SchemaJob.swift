import Emitters
import FBSSchema
import FuzzSupport

/// Any bytes as a schema: resolved, and checked for every emitter.
public enum SchemaJob {
  /// Compiles `bytes`.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let checked = CheckedSchema(OneFile(bytes: bytes).compiled(), emitters: EmitterRegistry.all)
    for diagnostic in checked.diagnostics where diagnostic.range.end > bytes.count {
      throw Mistake("`\(diagnostic.message)` is outside the file")
    }
  }
}
