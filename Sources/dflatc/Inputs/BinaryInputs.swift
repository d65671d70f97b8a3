import BinarySchemas
import FBSSchema

/// The inputs that are binary schemas, and the notes about attributes and defaults that those files do not hold.
struct BinaryInputs {
  private var inputs: [(path: String, content: BinarySchema.Content)] = []

  /// Finds the inputs of a schema that are binary schemas.
  /// - Parameter files: The files that the schema was read from.
  init(_ schema: Schema, in files: InputFileSystem) {
    for file in schema.files where file.isInput {
      if let content = files.binarySchemas[file.path] { inputs.append((file.path, content)) }
    }
  }

  /// Says which attributes are unknown, though the schema may have them.
  func nameWhatIsUnknown() {
    for (path, content) in inputs {
      let assumed = content.assumedBitFlags.map { "`\($0)`" }.joined(separator: ", ")
      let assumption = assumed.isEmpty ? "" : "; \(assumed) is taken for `bit_flags`"
      switch content.builtinAttributes {
      case .held: break
      case .unknown where assumed.isEmpty: break
      case .unknown, .omitted:
        Terminal.printError(
          """
          note: \(path) holds no attributes of the language, which flatc leaves out of binary schemas: what \
          `nested_flatbuffer`, `flexbuffer` and `hash` do is missing\(assumption); \(SchemaText.howToHoldAttributes)
          """)
      }
    }
  }

  /// Prints a note for each binary schema about the defaults that the outputs lack.
  func nameLostDefaults() {
    for (path, content) in inputs where !content.lostDefaults.isEmpty {
      let fields = content.lostDefaults.prefix(5).map { "`\($0)`" }.joined(separator: ", ")
      let others = content.lostDefaults.count > 5 ? " and \(content.lostDefaults.count - 5) others" : ""
      Terminal.printError(
        """
        note: \(path) does not hold the defaults of strings, as no binary schema does: \(fields)\(others) may be absent here
        """)
    }
  }

  /// Prints a note for each binary schema: which file to correct, since the diagnostics show its text, but it was made
  /// from a schema file.
  func sayWhatToMend() {
    for (path, content) in inputs {
      let advice =
        content.builtinAttributes == .held ? "and write it anew" : "and \(SchemaText.howToHoldAttributes)"
      Terminal.printError(
        "note: \(path) is a binary schema, shown as text: mend the .fbs that it was made of, \(advice)")
    }
  }
}
