import ArgumentParser
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON
import Foundation

/// `dflatc convert`: FlatBuffers to JSON, and back.
struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert FlatBuffers to JSON, and JSON to FlatBuffers.",
    discussion: """
      The schema says what the bytes mean. Among the inputs, what ends in .fbs is the schema, and all else is data, as flatc \
      takes it. Without one, what ends in .bfbs is the schema: a binary one. Data is an object of the schema's root type, or \
      of the table that --root-type names.

      What is converted to what follows from the data's name: .json becomes a FlatBuffer, and any other file JSON. -t and -b \
      say it outright, which standard input needs. With -b and no data, the JSON object that ends the schema becomes a \
      FlatBuffer.

      The JSON is that of flatc 2.0.8, and so are the bytes. Other than flatc, nothing is read that does not verify: bytes \
      of another schema, cut off or damaged, are refused, with the field and the position that are wrong.

      EXAMPLES
        dflatc convert post.fbs post.bin                       prints JSON
        dflatc convert post.fbs post.json -o post.bin          writes a FlatBuffer
        dflatc convert post.fbs --root-type Comment -o out/ comments/*.bin
        sqlite3 app.db "SELECT writefile('row.bin', p) FROM post LIMIT 1" && dflatc convert post.fbs row.bin
        curl -s https://example.com/post | dflatc convert -t post.fbs --strict-json - | jq .title

      Exit codes: 0 done, 1 the data or the schema is wrong, 2 wrong usage, 3 a file cannot be read or written.
      """)

  @Flag(name: [.customShort("t"), .customLong("json")], help: "Write JSON: the data is FlatBuffers.")
  var toJSON = false

  @Flag(name: [.customShort("b"), .customLong("binary")], help: "Write FlatBuffers: the data is JSON.")
  var toBinary = false

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: ArgumentHelp(
      """
      Where to write: a file; with several inputs, or a slash at its end, a folder, which is made if it is missing. - and \
      nothing at all are standard output.
      """, valueName: "path"), completion: .file())
  var output: String?

  @OptionGroup var schema: SchemaArguments

  @Option(
    name: .long,
    help: ArgumentHelp("The table that the data is one of, in place of the schema's root_type.", valueName: "table"))
  var rootType: String?

  @Flag(name: .long, help: "The FlatBuffers have their size before them, in 4 bytes.")
  var sizePrefixed = false

  @Flag(name: .long, help: "To JSON: read FlatBuffers that have another file identifier than the schema's, or none.")
  var rawBinary = false

  @Flag(
    name: .long,
    help: "JSON as other programs read it: names in quotes. Of JSON that is read, it must be such.")
  var strictJson = false

  @Flag(name: .long, help: "To JSON: write numbers that are absent, with their default.")
  var defaultsJson = false

  @Flag(name: .long, help: "To JSON: write characters as they are, and not as \\uXXXX.")
  var naturalUtf8 = false

  @Flag(
    name: .long,
    help:
      "Take strings that are not UTF-8, instead of refusing them. In JSON they have \\xNN for a byte, which is not JSON."
  )
  var allowNonUtf8 = false

  @Flag(name: .long, help: "To JSON: write all on one line.")
  var compact = false

  @Flag(
    name: .long,
    help: "To JSON: write floats with all their digits. flatc writes 6 after the point, and 12 of a double.")
  var exactNumbers = false

  @Flag(
    name: .long,
    help: "To JSON: write dates, durations and decimal numbers as people do. Such JSON is not read back.")
  var showValues = false

  @Flag(name: .long, help: "To FlatBuffers: pass over fields that the schema does not have.")
  var unknownJson = false

  @Flag(name: .long, help: "To FlatBuffers: write numbers that are their default.")
  var forceDefaults = false

  @Option(
    name: .long,
    help: "How to show what is wrong with JSON and schemas: text, line, json, sarif, github, gitlab or junit.")
  var format: ReportFormat = .text

  @Option(
    name: .long, help: ArgumentHelp("The path that standard input stands for in diagnostics.", valueName: "path"),
    completion: .file())
  var stdinName: String?

  @Argument(
    help: "The schema (.fbs or .bfbs), unless --schema names it, and the data. - is standard input.",
    completion: .file())
  var inputs: [String]

  private var schemas: [String] { inputs.filter { $0.hasSuffix(schemaSuffix) } }
  private var data: [String] { inputs.filter { !$0.hasSuffix(schemaSuffix) } }

  /// The suffix by which schemas are told from data among the inputs. If a schema is named by an option, a binary
  /// schema is data: an object of the reflection schema.
  private var schemaSuffix: String {
    schema.schemas.isEmpty && !inputs.contains { $0.hasSuffix(".fbs") } ? ".bfbs" : ".fbs"
  }

  func validate() throws {
    try OutputOption.check(output, is: OutputOption.fileOrFolder)
    guard !(toJSON && toBinary) else { throw ValidationError("-t and -b exclude each other: choose one.") }
    guard !(schemas + schema.schemas).isEmpty else {
      throw ValidationError("Name the schema of the data: dflatc convert post.fbs \(data.first ?? "post.bin")")
    }
    guard !data.isEmpty || toBinary else {
      throw ValidationError("Name the data to convert, or - for standard input.")
    }
    guard !data.contains("-") || toJSON || toBinary else {
      throw ValidationError("Say what standard input becomes: -t for JSON, -b for a FlatBuffer.")
    }
    guard data.filter({ $0 == "-" }).count < 2 else { throw ValidationError("Standard input can be read once.") }
    guard stdinName == nil || data.contains("-") else {
      throw ValidationError("--stdin-name is the name of standard input: give - as an input, too.")
    }
    guard data.count < 2 || output.map({ $0 != "-" }) == true || !data.contains(where: { isToBinary($0) }) else {
      throw ValidationError("Several FlatBuffers cannot stand on standard output: name a folder with -o.")
    }
    guard format == .text || output.map({ $0 != "-" }) == true else {
      throw ValidationError("--format \(format.rawValue) writes to standard output: say with -o where the data goes.")
    }
  }

  private func isToBinary(_ path: String) -> Bool {
    toBinary || (!toJSON && path.lowercased().hasSuffix(".json"))
  }

  func run() throws {
    let files = InputFileSystem()
    let resolver = try schema.compile(and: schemas, in: files, format)
    let converter = FlatBufferJSON(resolver.compilation.schema)
    var results: [ExitStatus] = []
    // A file with an error does not keep others from being converted.
    if data.isEmpty {
      let objects = try filesWithObjects(resolver)
      let targets = objects.map { id in
        let file = resolver.compilation.schema.files[id.index]
        return (file.path, target(for: file.path, isOne: objects.count == 1, file.fileExtension ?? "bin"))
      }
      try checkTargets(targets, resolver)
      for file in objects { results.append(convertObject(of: file, resolver, converter)) }
    } else {
      let files = resolver.compilation.schema.files
      let root = try findRoot(resolver.compilation.schema)
      let conversion = Conversion(
        resolver: resolver, converter: converter, root: root,
        identifier: identifier(of: root, resolver.compilation.schema),
        fileExtension: files.first { $0.isInput && $0.rootTable != nil }?.fileExtension ?? "bin", arguments: self)
      try checkTargets(
        data.map { ($0, target(for: $0, isOne: data.count == 1, conversion.fileExtension)) }, resolver)
      for path in data { results.append(convert(path, conversion)) }
    }
    guard let status = results.max(by: { $0.rawValue < $1.rawValue }), status != .done else { return }
    // The data may depend on attributes that the binary schema lacks.
    if status == .wrongSchema { BinaryInputs(resolver.compilation.schema, in: files).nameWhatIsUnknown() }
    throw status.exitCode
  }

  // MARK: The object at the end of a schema

  /// Returns the schemas whose text ends with a JSON object. If no data is named, these objects are converted, as flatc
  /// does.
  /// - Throws: `ValidationError` if there are none, or the other arguments do not fit them.
  private func filesWithObjects(_ resolver: ObjectResolver) throws -> [FileID] {
    let files = resolver.filesWithObjects
    let paths = resolver.compilation.schema.files.filter(\.isInput).map(\.path).joined(separator: ", ")
    guard !files.isEmpty else {
      throw ValidationError("Name the data to convert, or - for standard input: \(paths) ends with no JSON object.")
    }
    guard files.count == 1 || output.map({ $0 != "-" }) == true else {
      throw ValidationError("Several FlatBuffers cannot stand on standard output: name a folder with -o.")
    }
    guard rootType == nil else {
      throw ValidationError("The object that ends a schema is one of its root_type: leave out --root-type.")
    }
    return files
  }

  private func convertObject(of id: FileID, _ resolver: ObjectResolver, _ converter: FlatBufferJSON) -> ExitStatus {
    let file = resolver.compilation.schema.files[id.index]
    guard let root = file.rootTable else { return .wrongSchema }
    let conversion = Conversion(
      resolver: resolver, converter: converter, root: root, identifier: file.fileIdentifier,
      fileExtension: file.fileExtension ?? "bin", arguments: self)
    guard let buffer = conversion.binary(ofObjectIn: id) else { return .wrongSchema }
    let isOne = resolver.filesWithObjects.count == 1
    return buffer.withUnsafeBytes { write($0, for: file.path, isOne: isOne, conversion) }
  }

  // MARK: Data

  private func convert(_ path: String, _ conversion: Conversion) -> ExitStatus {
    let bytes: [UInt8]
    do {
      bytes = path == "-" ? try FileSystem.readStandardInput() : try FileSystem().read(path)
    } catch {
      Terminal.printError("error: cannot read \(path): \(error.description)")
      return .inputOutput
    }
    let name = path == "-" ? stdinName ?? "<stdin>" : path
    if isToBinary(path) {
      guard let buffer = conversion.binary(bytes, name) else { return .wrongSchema }
      return buffer.withUnsafeBytes { write($0, for: path, isOne: data.count == 1, conversion) }
    }
    guard let text = conversion.json(bytes, name) else { return .wrongSchema }
    return text.withUnsafeBytes { write($0, for: path, isOne: data.count == 1, conversion) }
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, for path: String, isOne: Bool, _ conversion: Conversion
  ) -> ExitStatus {
    guard let output, let target = target(for: path, isOne: isOne, conversion.fileExtension) else {
      if isToBinary(path) { Terminal.write(bytes) } else { Terminal.writeText(bytes) }
      return .done
    }
    if isInFolder(isOne: isOne) {
      do {
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      } catch {
        Terminal.printError("error: cannot make the folder \(output): \(error.localizedDescription)")
        return .inputOutput
      }
    }
    do throws(OutputFolder.WriteError) {
      try FileSystem.replace(target, with: bytes)
      return .done
    } catch {
      Terminal.printError("error: cannot write \(error.path): \(error.reason)")
      return .inputOutput
    }
  }

  // MARK: Where to write

  /// Returns whether the output is a folder rather than a file.
  private func isInFolder(isOne: Bool) -> Bool { output?.hasSuffix("/") == true || !isOne }

  /// Returns the file that an input is written to; nil for standard output.
  private func target(for path: String, isOne: Bool, _ fileExtension: String) -> String? {
    guard let output, output != "-" else { return nil }
    guard isInFolder(isOne: isOne) else { return output }
    let name = path == "-" ? "stdin" : ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    return (output as NSString).appendingPathComponent(name + "." + (isToBinary(path) ? fileExtension : "json"))
  }

  /// Checks, before anything is written, that each input has a file of its own, which replaces no input.
  private func checkTargets(_ targets: [(input: String, target: String?)], _ resolver: ObjectResolver) throws {
    let system = FileSystem()
    let read = data.filter { $0 != "-" } + resolver.compilation.sources.files.map(\.path)
    let inputs = Set(read.map { system.identity(of: $0) })
    var takers: [String: String] = [:]
    for case (let input, let target?) in targets {
      // A terminal may be both standard input and standard output.
      guard !FileSystem.isStream(target) else { continue }
      let identity = system.identity(of: target)
      guard !inputs.contains(identity) else {
        throw ValidationError("\(target) is an input, and would be replaced: name another output with -o.")
      }
      // An input that is named twice is written twice, and the same.
      guard let other = takers.updateValue(input, forKey: identity),
        system.identity(of: other) != system.identity(of: input)
      else { continue }
      throw ValidationError(
        "\(other) and \(input) would both be written to \(target): convert them to different folders.")
    }
  }

  // MARK: The root

  private func findRoot(_ schema: Schema) throws -> TableID {
    if let rootType {
      guard let table = schema.table(called: rootType) else { throw ValidationError(schema.missingTable(rootType)) }
      return table
    }
    let roots = Set(schema.files.filter(\.isInput).compactMap(\.rootTable))
    guard let root = roots.first else {
      throw ValidationError("The schema has no root_type: name the table with --root-type.")
    }
    guard roots.count == 1 else {
      let names = roots.map { schema[$0].name.description }.sorted().joined(separator: " or ")
      throw ValidationError("The schemas have several root types: say with --root-type whether the data is \(names).")
    }
    return root
  }

  /// Returns the file identifier of the schema; nil if it has none. As in flatc, it holds even if another root table is
  /// named.
  private func identifier(of root: TableID, _ schema: Schema) -> String? {
    let files = schema.files.filter(\.isInput)
    return (files.count == 1 ? files.first : files.first { $0.rootTable == root })?.fileIdentifier
  }
}
