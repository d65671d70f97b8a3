import Emitters
import FBSSchema
import FuzzSupport

/// Any bytes as a schema that files are generated from.
public enum EmissionJob {
  /// Generates from `bytes`, if they are a valid schema, by one emitter: the text decides which.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let sum = bytes.reduce(0) { $0 &+ Int($1) }
    try run(bytes, by: EmitterRegistry.all[sum % EmitterRegistry.all.count])
  }

  /// Generates from `bytes`, if they are a schema that is valid for `emitter`.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8], by emitter: any Emitter) throws(Mistake) {
    let compilation = OneFile(bytes: bytes).compiled()
    guard compilation.isValid,
      let generator = CheckedSchema(compilation, emitters: [emitter]).generator
    else { return }
    do throws(EmissionError) {
      _ = try generator.files()
    } catch {
      throw Mistake("a valid schema is not generated: \(error)")
    }
  }
}
