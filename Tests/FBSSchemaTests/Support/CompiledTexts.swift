import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation

func compile(_ text: String) -> Compilation {
  SchemaCompiler.compile(inputs: ["a.fbs"], provider: SchemaTexts(["a.fbs": text]))
}

func compile(_ files: [String: String], inputs: [String], includePaths: [String] = []) -> Compilation {
  SchemaCompiler.compile(inputs: inputs, includePaths: includePaths, provider: SchemaTexts(files))
}

extension Compilation {
  var codes: [String] { diagnostics.map(\.code.id) }
  var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
}
