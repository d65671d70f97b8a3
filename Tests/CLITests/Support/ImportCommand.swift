import Foundation
import TestSupport
import Testing

/// Returns the schema that `dflatc import` makes of a text, which has to be valid, and the notes.
func importedSchema(of text: String) throws -> (text: String, notes: String) {
  try withFolder { folder in
    try folder.write(text, to: "x.proto")
    let result = try dflatc("import", "-o", ".", "x.proto", in: folder)
    try #require(result.status == 0, "\(result.error)")
    let compiled = try dflatc("compile", "-o", "out", "--emit", "bfbs", "x.fbs", in: folder)
    let schema = try String(contentsOf: folder.appending(path: "x.fbs"), encoding: .utf8)
    #expect(compiled.status == 0, "\(compiled.error)\n\(schema)")
    return (schema, result.error)
  }
}
