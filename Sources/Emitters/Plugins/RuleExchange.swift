import BinarySchemas
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersCore
import SchemaPlugins

/// A finding of a program with a team's own rules.
public struct OutsideFinding: Hashable, Sendable {
  /// The rule's id.
  public let rule: String
  /// The message, in one line.
  public let message: String
  /// The advice. May be empty.
  public let advice: String
  /// The subject: a type by its whole name, or `Type.member`. Empty for a file as a whole.
  public let name: String
  /// The file that the finding is about; nil if the program names none, or an unknown one.
  public let file: FileID?
}

/// The answer of a program with rules of a team's own.
public struct OutsideAnswer: Hashable, Sendable {
  /// The findings, in the program's order.
  public let findings: [OutsideFinding]
  /// The ids of the rules that the task checks in full: the other task finds nothing more of them.
  public let checkedRules: Set<String>
}

extension PluginExchange {
  /// Returns the request to a program with a team's own rules, about valid schemas.
  /// - Parameters:
  ///   - schema: the schema, or its new version.
  ///   - inputs: the files that findings may be about.
  ///   - old: the old version, if two versions are compared.
  ///   - parameter: the text that the team passes to the program.
  /// - Throws: `EmissionError` when a binary schema cannot hold one of the schemas.
  public static func request(
    rules schema: Schema, inputs: Set<FileID>, old: Schema? = nil, parameter: String
  ) throws(EmissionError) -> [UInt8] {
    let (bytes, scope, path) = try binarySchema(of: schema)
    let oldBytes = try old.map { (schema) throws(EmissionError) in try binarySchema(of: schema).bytes }
    let files = schema.files.filter { $0.isInput && inputs.contains($0.id) }
    do {
      var builder = FlatBufferBuilder()
      let task = builder.create(old == nil ? "lint" : "check")
      let old = oldBytes.map { builder.create(vector: $0) } ?? .null
      let binarySchema = builder.create(vector: bytes)
      let names = builder.create(vector: files.map { "//" + scope.path(of: $0) })
      let parameter = builder.create(parameter)
      let version = builder.create(CompilerVersion.current)
      let root = CodeGeneratorRequestReader.create(
        in: &builder, filesToGenerate: names, parameter: parameter, compilerVersion: version, schema: binarySchema,
        task: task, oldSchema: old)
      try builder.finish(root)
      return builder.withFinishedBytes { Array($0) }
    } catch {
      throw EmissionError(path: path, reason: "a binary schema cannot hold it: \(error)")
    }
  }

  /// Returns a schema with all its inputs as a binary schema, the paths that the binary schema gives to their files,
  /// and the path for messages.
  private static func binarySchema(
    of schema: Schema
  ) throws(EmissionError) -> (bytes: [UInt8], scope: SchemaScope, path: String) {
    var whole = schema
    let file = umbrella(over: schema.files.filter(\.isEntry), in: &whole)
    do {
      var writer = ReflectionWriter(schema: whole, file: file)
      return (try writer.write(), SchemaScope(whole, of: file), file.path)
    } catch {
      throw EmissionError(path: file.path, reason: "a binary schema cannot hold it: \(error)")
    }
  }

  /// Returns the answer of a program that was asked about a schema.
  public static func answer(_ response: [UInt8], about schema: Schema) throws(ResponseError) -> OutsideAnswer {
    let reader = try reader(of: response)
    if let error = reader.error, !error.isEmpty { throw .refused(error) }
    guard reader.files.isEmpty else { throw .invalid("it wants to write files, which rules do not") }
    var whole = schema
    let scope = SchemaScope(whole, of: umbrella(over: schema.files.filter(\.isEntry), in: &whole))
    let files = Dictionary(schema.files.map { ("//" + scope.path(of: $0), $0.id) }) { first, _ in first }
    let findings = reader.findings.map { finding in
      OutsideFinding(
        rule: finding.rule ?? "", message: finding.message ?? "", advice: finding.advice ?? "",
        name: finding.name ?? "", file: finding.file.flatMap { files[$0] })
    }
    return OutsideAnswer(findings: findings, checkedRules: Set(reader.checkedRules))
  }
}
