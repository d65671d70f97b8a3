import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import Testing

struct InvalidSchema: Error, CustomStringConvertible {
  let description: String
}

/// Compiles the files of one version, all of them as inputs.
func version(_ files: [String: String], binary: Bool = false) throws -> SchemaVersion {
  let paths = files.keys.sorted()
  let compilation = SchemaCompiler.compile(inputs: paths, provider: SchemaTexts(files))
  guard compilation.isValid else {
    throw InvalidSchema(
      description: DiagnosticRenderer().render(compilation.diagnostics, in: compilation.sources) + "\n\(files)")
  }
  let names = Dictionary(
    compilation.schema.files.map { ($0.id, files.count == 1 ? "" : String($0.path.drop { $0 != "/" })) }
  ) { first, _ in first }
  return SchemaVersion(
    schema: compilation.schema, sources: compilation.sources, names: names, isBinary: binary)
}

/// Compiles a version of one file.
func version(_ text: String, path: String = "a.fbs") throws -> SchemaVersion { try version([path: text]) }

/// What changed between two texts.
func findings(_ old: String, _ new: String) throws -> [Finding] {
  SchemaEvolution.compare(old: try version(old), new: try version(new))
}

/// The rules that two texts break, in order.
func rules(_ old: String, _ new: String) throws -> [String] { try findings(old, new).map(\.rule.id) }
