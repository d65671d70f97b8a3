import BinarySchemas
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersCore
import SchemaPlugins

/// The messages between the compiler and a plug-in, as Documentation/plugin.fbs defines them. The caller runs the
/// plug-in.
public enum PluginExchange {
  /// Returns the request to a plug-in about the inputs of a valid schema.
  ///
  /// - Parameters:
  ///   - generator: the generator of the run.
  ///   - outputNames: the names of inputs in their outputs, by the inputs' paths. Without one, it is the last component
  ///     of the path.
  ///   - parameter: the text that the user passes to the plug-in.
  /// - Throws: `EmissionError` if a binary schema cannot hold the schema.
  public static func request(
    for generator: Generator, outputNames: [String: String], parameter: String
  ) throws(EmissionError) -> [UInt8] {
    let schema = generator.schema
    var whole = schema
    let inputs = schema.files.filter(\.isInput)
    let file = umbrella(over: schema.files.filter(\.isEntry), in: &whole)
    do {
      var writer = ReflectionWriter(schema: whole, file: file)
      let scope = SchemaScope(whole, of: file)
      var builder = FlatBufferBuilder()
      let binarySchema = builder.create(vector: try writer.write())
      let files = builder.create(vector: inputs.map { "//" + scope.path(of: $0) })
      let parameter = builder.create(parameter)
      let version = builder.create(CompilerVersion.current)
      let stems = builder.create(vector: inputs.map { Generator.stem(of: outputNames[$0.path] ?? $0.fileName) })
      let swiftTypes = builder.create(vector: writeSwiftTypes(of: generator, &builder))
      let access = builder.create(generator.access.rawValue)
      let root = CodeGeneratorRequestReader.create(
        in: &builder, filesToGenerate: files, parameter: parameter, compilerVersion: version, schema: binarySchema,
        outputStems: stems, swiftTypes: swiftTypes, access: access)
      try builder.finish(root)
      return builder.withFinishedBytes { Array($0) }
    } catch {
      throw EmissionError(path: file.path, reason: "a binary schema cannot hold it: \(error)")
    }
  }

  /// Returns one file that leads to all entries of a schema: the entry itself if there is only one, otherwise a file
  /// that is added to the schema and includes them all.
  static func umbrella(over entries: [SchemaFile], in schema: inout Schema) -> SchemaFile {
    if entries.count == 1 { return entries[0] }
    var umbrella = SchemaFile(id: FileID(schema.files.count), path: "inputs", isInput: false, isEntry: false)
    umbrella.includes = entries.map(\.id)
    schema.files.append(umbrella)
    return umbrella
  }

  /// Writes the Swift names of the definitions in this run, and returns their offsets. The list is empty if the run
  /// writes no Swift.
  private static func writeSwiftTypes(of generator: Generator, _ builder: inout FlatBufferBuilder) -> [Offset] {
    // Without Swift, nothing has a name in it.
    guard generator.emitters.contains(where: \.emitsSwift) else { return [] }
    let (schema, names) = (generator.schema, generator.names)
    var offsets: [Offset] = []
    func write(_ id: DefinitionID, _ name: QualifiedName, model: String, accessor: String) {
      let name = builder.create(name.description)
      let model = builder.create(model)
      let accessor = builder.create(accessor)
      let access = builder.create(generator.access(of: id).rawValue)
      offsets.append(SwiftTypeReader.create(in: &builder, name: name, model: model, accessor: accessor, access: access))
    }
    for (id, definition) in schema.enums.enumerated().map({ (EnumID($0), $1) }) {
      write(.enumeration(id), definition.name, model: names.model(id), accessor: names.value(id))
    }
    for (id, definition) in schema.structs.enumerated().map({ (StructID($0), $1) }) {
      write(.structure(id), definition.name, model: names.model(id), accessor: names.reader(id))
    }
    for (id, definition) in schema.tables.enumerated().map({ (TableID($0), $1) }) {
      write(.table(id), definition.name, model: names.model(id), accessor: names.reader(id))
    }
    for (id, definition) in schema.unions.enumerated().map({ (UnionID($0), $1) }) {
      write(.union(id), definition.name, model: names.model(id), accessor: names.reader(id))
    }
    return offsets
  }

  /// The reason why an answer has no files.
  public enum ResponseError: Error, Hashable, Sendable {
    /// The plug-in refuses the schema, with this reason.
    case refused(String)
    /// The answer is malformed, or cannot be followed.
    case invalid(String)
  }

  /// Returns the files that a plug-in's answer contains.
  public static func files(in response: [UInt8]) throws(ResponseError) -> [GeneratedFile] {
    let reader = try reader(of: response)
    if let error = reader.error, !error.isEmpty { throw .refused(error) }
    var files: [GeneratedFile] = []
    for file in reader.files {
      let name = file.name ?? ""
      if let mistake = mistake(in: name) { throw .invalid("it wants to write \(quoted(name)), which \(mistake)") }
      files.append(GeneratedFile(name: name, content: file.content.array))
    }
    return files
  }

  /// Verifies an answer and returns its reader.
  static func reader(of response: [UInt8]) throws(ResponseError) -> CodeGeneratorResponseReader {
    guard !response.isEmpty else { throw .invalid("it wrote nothing to its standard output") }
    let buffer = ByteBuffer(response)
    guard buffer.isValid(as: CodeGeneratorResponseReader.self), let reader = CodeGeneratorResponseReader(root: buffer)
    else {
      throw .invalid("what it wrote to its standard output is no CodeGeneratorResponse")
    }
    return reader
  }

  /// Returns why no file of this name can be written into the output folder; nil if one can.
  private static func mistake(in name: String) -> String? {
    if name.isEmpty { return "is no name" }
    if name.utf8.first == UInt8(ascii: "/") { return "is an absolute path: names are paths within the output folder" }
    if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") })
      || name.unicodeScalars.contains("\u{FFFD}")
    {
      return "has a character that no name can have everywhere"
    }
    for part in GeneratedFile.parts(of: name) {
      switch part {
      case "..": return "is outside of the output folder"
      case "", ".": return "has an empty part"
      case _ where part.utf8.starts(with: GeneratedFile.temporaryPrefix.utf8):
        return "is what the compiler calls unfinished files"
      case _ where part.utf8.count > 255: return "is longer than a file's name can be"
      default: break
      }
    }
    return nil
  }

  private static func quoted(_ name: String) -> String {
    swiftStringLiteral(name.utf8.count > 300 ? String(name.prefix(100)) + "..." : name)
  }
}
