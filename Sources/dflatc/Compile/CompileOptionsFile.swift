import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation

/// The options in a file such as `dflatc.json`. The plug-in that builds schemas can get options in no other way.
struct CompileOptionsFile: Sendable {
  var emitters: [any Emitter] = []
  /// The folders in which includes are looked for, as paths from the current folder, like those of `exclude`.
  var includePaths: [String] = []
  /// Whether the files that the inputs include are compiled, too.
  var compilesIncludes = false
  var namespaces: NamespaceDeclarations.Files?
  var access: AccessLevel?
  var exclude: [String] = []
  /// The folder for the outputs.
  var output: String?
  /// The earlier version that schemas are checked against: a path from the current folder, or `git:REF`.
  var against: String?
  private(set) var diagnostics: [Diagnostic] = []
  let sources: SourceMap
  /// The options that may be set.
  private var names = Self.fileNames
  /// The options that are set.
  private var given: Set<String> = []

  /// Reads a file for a command. Shows its errors, and ends the command if there are any.
  static func read(_ path: String, _ format: ReportFormat, all: Bool) throws -> CompileOptionsFile {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      Terminal.printError("error: cannot read \(path): \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
    let file = CompileOptionsFile(path: path, bytes: bytes)
    guard file.diagnostics.isEmpty else {
      format.show(file.diagnostics, in: file.sources, all: all)
      throw ExitStatus.usage.exitCode
    }
    return file
  }

  /// Prints a note about where the options of a file belong in a `.dflatc.json`, which commands find by themselves.
  /// Prints nothing for a file without options.
  func noteWhereToMove(_ path: String) {
    func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
    let own = Self.fileNames.filter { given.contains($0) && Self.sectionNames.contains($0) }
    let common = Self.fileNames.filter { given.contains($0) && !Self.sectionNames.contains($0) }
    guard !given.isEmpty else { return }
    let moves = [
      own.isEmpty ? nil : "\(list(own)) into \"swift\" of \(TeamConfiguration.fileName)",
      common.isEmpty ? nil : "\(list(common)) to " + (own.isEmpty ? TeamConfiguration.fileName : "the top of it"),
    ].compactMap { $0 }.joined(separator: ", and ")
    Terminal.printError(
      """
      note: dflatc finds \(TeamConfiguration.fileName) without --options: move \(moves); \(path) goes on to work, and is what the \
      plug-ins of SwiftPM and Xcode read
      """)
  }

  /// Reads the member `swift` of a configuration. The other options of a file belong to other members of a
  /// configuration.
  init(section members: [(key: PlacedJSON, value: PlacedJSON)], folder: String) {
    sources = SourceMap()
    names = Self.sectionNames
    var known: [String: SourceRange] = [:]
    for (key, value) in members { read(key, value, folder: folder, &known) }
  }

  /// Returns the diagnostics and removes them, for a caller that shows them itself.
  mutating func takeDiagnostics() -> [Diagnostic] {
    defer { diagnostics = [] }
    return diagnostics
  }

  private init(path: String, bytes: [UInt8]) {
    var sources = SourceMap()
    let file = sources.add(path: path, bytes: bytes)
    self.sources = sources
    do throws(PlacedJSON.Mistake) {
      let value = try PlacedJSON.parse(sources[file])
      guard case .object(let members) = value.value else {
        diagnostics.append(Self.wrongValue("the options are no object", value, "write an object", [Self.example]))
        return
      }
      var known: [String: SourceRange] = [:]
      for (key, value) in members { read(key, value, folder: path.parentFolder, &known) }
    } catch {
      diagnostics.append(
        Diagnostic(OptionsCode.notJSON, .error, "this is not JSON: \(error.message)", at: error.range))
    }
  }

  private mutating func read(
    _ key: PlacedJSON, _ value: PlacedJSON, folder: String, _ known: inout [String: SourceRange]
  ) {
    let name = key.string ?? ""
    if let first = known.updateValue(key.range, forKey: name) {
      diagnostics.append(
        Diagnostic(
          OptionsCode.unknownOption, .error, "`\(name)` is given twice", at: key.range, advice: "keep one of them",
          labels: [.init(first, "first given here")]))
      return
    }
    func path(_ text: String) -> String {
      folder.isEmpty || text.hasPrefix("/") ? text : (folder as NSString).appendingPathComponent(text)
    }
    guard names.contains(name) else { return unknown(name, key) }
    given.insert(name)
    switch name {
    case "emit":
      guard let names = strings(name, value) else { return }
      for (text, element) in names { add(text, element) }
      if let mistake = Compile.missingFoundation(of: emitters) {
        diagnostics.append(
          Self.wrongValue(
            "the output of \(mistake.emitter) needs that of \(mistake.missing.joined(separator: " and ")) beside it",
            value, "add \(mistake.missing.map { "\"\($0)\"" }.joined(separator: ", "))"))
      }
    case "include":
      includePaths = (strings(name, value) ?? []).map { path($0.text) }
    case "genAll":
      guard case .bool(let isOn) = value.value else {
        diagnostics.append(Self.wrongValue("`genAll` takes another value", value, "write true or false"))
        return
      }
      compilesIncludes = isOn
    case "exclude":
      // A name excludes files and folders at any depth, also with a slash at its end, as in `.dflatc.json`. A folder
      // beside this file that is an argument itself is excluded by its path alone.
      exclude = (strings(name, value) ?? []).flatMap { entry in
        ExcludedPaths.name(entry.text).map { [$0, path($0)] } ?? [path(entry.text)]
      }
    case "output":
      output = string(name, value, "write the path of a folder").map(path)
    case "against":
      against = string(name, value, "write \"git:REF\", or the path of an earlier version")
        .map { $0.hasPrefix("git:") ? $0 : path($0) }
    case "namespaces":
      guard let text = value.string, let files = Compile.namespaceFiles(text) else {
        diagnostics.append(
          Self.wrongValue(
            "`namespaces` takes another value", value,
            "write \"each\", \"none\", or the name of a Swift file"))
        return
      }
      namespaces = files
    case "access":
      guard let level = value.string.flatMap(AccessLevel.init) else {
        diagnostics.append(
          Self.wrongValue(
            "`access` takes another value", value, "write \"internal\", \"package\" or \"public\""))
        return
      }
      access = level
    default: break  // All names are above.
    }
  }

  private mutating func unknown(_ name: String, _ key: PlacedJSON) {
    let nearest = Self.otherNames[name] ?? nearestName(to: name, in: names)
    var advice = nearest.map { "did you mean \"\($0)\"?" } ?? "remove it"
    if Self.fileNames.contains(name) { advice = "it stands beside \"swift\", and not in it" }
    if ["rules", "lint", "vendored", "extends", "overrides", "allow"].contains(name) {
      advice = "it stands in \(TeamConfiguration.fileName)"
    }
    diagnostics.append(
      Diagnostic(
        OptionsCode.unknownOption, .error, "there is no option `\(name)`", at: key.range, advice: advice,
        notes: ["there are: \(names.joined(separator: ", "))"]))
  }

  private mutating func add(_ name: String, _ element: PlacedJSON) {
    guard let emitter = EmitterRegistry.emitter(named: name) else {
      let all = EmitterRegistry.all.map(\.name)
      let advice = nearestName(to: name, in: all).map { "did you mean \"\($0)\"?" } ?? "remove it"
      diagnostics.append(
        Self.wrongValue(
          "there is no emitter called `\(name)`", element, advice, ["there are: \(all.joined(separator: ", "))"]))
      return
    }
    emitters.append(emitter)
  }

  /// Returns the strings of an array, each with its range. Nil for any other value, which is reported.
  private mutating func strings(_ name: String, _ value: PlacedJSON) -> [(text: String, element: PlacedJSON)]? {
    if case .array(let elements) = value.value, elements.allSatisfy({ $0.string?.isEmpty == false }) {
      return elements.map { ($0.string ?? "", $0) }
    }
    var wrong = value
    if case .array(let elements) = value.value {
      wrong = elements.first { $0.string?.isEmpty != false } ?? value
    }
    diagnostics.append(
      Self.wrongValue("`\(name)` takes an array of strings", wrong, "write strings in [ ]", [Self.example]))
    return nil
  }

  /// Returns a string that is not empty. Nil for any other value, which is reported.
  private mutating func string(_ name: String, _ value: PlacedJSON, _ advice: String) -> String? {
    if let text = value.string, !text.isEmpty { return text }
    diagnostics.append(Self.wrongValue("`\(name)` takes a string", value, advice))
    return nil
  }

  private static func wrongValue(
    _ message: String, _ value: PlacedJSON, _ advice: String, _ notes: [String] = []
  ) -> Diagnostic {
    Diagnostic(OptionsCode.wrongValue, .error, message, at: value.range, advice: advice, notes: notes)
  }

  private static let fileNames = ["emit", "include", "genAll", "namespaces", "access", "exclude", "output", "against"]
  /// The options that `swift` of a configuration takes.
  static let sectionNames = ["emit", "genAll", "namespaces", "access", "output"]
  private static let otherNames = [
    "emitters": "emit", "includePaths": "include", "I": "include", "gen-all": "genAll", "baseline": "against",
  ]
  private static let example =
    #"such as { "emit": ["accessors", "data-model"], "include": ["../Common"], "namespaces": "none" }"#
}
