import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// Reads a configuration and those that it extends, and collects the mistakes in them.
struct ConfigurationReader {
  private(set) var sources = SourceMap()
  var diagnostics: [Diagnostic] = []
  /// The ids of the rules of programs that some file declares, also in an entry with a mistake.
  var programRules: Set<String> = []
  /// Ids that are no rules of dflatc, until it is known which ones the programs have.
  var unknownRules: [UnknownRule] = []
  /// The files that are being read, each by the one before it, by their identities.
  private var chain: [String] = []
  /// The files that were read, each with those that it extends, by their paths: many may extend one.
  private var known: [AbsolutePath: Lineage] = [:]

  /// The configurations of single files that one configuration is made of: those that it extends come first, its own
  /// file last. Later ones take precedence.
  private typealias Lineage = [TeamConfiguration]

  /// Reads a configuration with all that it extends.
  /// - Throws: `SourceReadError` if the file itself cannot be read. What is wrong with its text is a diagnostic.
  mutating func read(_ path: String) throws(SourceReadError) -> TeamConfiguration {
    let configuration = TeamConfiguration(combining: try lineage(of: path))
    // A program may stand behind its uses, or in another file.
    for rule in unknownRules where !rule.mayBeOfProgram || !programRules.contains(rule.id) { report(rule) }
    return configuration
  }

  private mutating func lineage(of path: String) throws(SourceReadError) -> Lineage {
    let bytes = try FileSystem().read(path)
    let file = sources.add(path: path, bytes: bytes)
    chain.append(FileSystem().identity(of: path))
    defer { chain.removeLast() }
    var configuration = TeamConfiguration(files: [path])
    var bases: Lineage = []
    do throws(PlacedJSON.Mistake) {
      let value = try PlacedJSON.parse(sources[file])
      for (key, value) in object("the configuration", value, Self.example) ?? [] {
        read(key, value, folder: path.parentFolder, &configuration, &bases)
      }
    } catch {
      diagnostics.append(
        Diagnostic(OptionsCode.notJSON, .error, "this is not JSON: \(error.message)", at: error.range))
    }
    // The rules for all files come before those for some, wherever they stand in the file.
    configuration.rules =
      configuration.rules.filter { $0.paths == nil } + configuration.rules.filter { $0.paths != nil }
    return bases + [configuration]
  }

  private mutating func read(
    _ key: PlacedJSON, _ value: PlacedJSON, folder: String, _ configuration: inout TeamConfiguration,
    _ bases: inout Lineage
  ) {
    let name = key.string ?? ""
    switch name {
    case "extends":
      let entries = value.string == nil ? strings(name, value) : [(value.string ?? "", value)]
      for (text, entry) in entries ?? [] {
        // What two of them extend comes once, before both.
        let base = extended(Self.path(text, in: folder), entry)
        bases += base.filter { base in !bases.contains { $0.files == base.files } }
      }
    case "include":
      configuration.includePaths = (strings(name, value) ?? []).map { Self.path($0.text, in: folder) }
    case "vendored":
      if let scope = scope(name, value, folder) { configuration.vendored = [scope] }
    case "exclude":
      if let scope = scope(name, value, folder) { configuration.excluded = [scope] }
    case "against":
      configuration.against = string(
        name, value, "write \"git:REF\", \"merge-base:REF\" or the path of an earlier version"
      )
      .map { OldVersion($0) == nil ? Self.path($0, in: folder) : $0 }
    case "rules":
      configuration.rules.append(.init(check: checkRules(value)))
    case "lint":
      configuration.rules.append(.init(lint: lintSettings(value)))
    case "overrides":
      configuration.rules += overrides(value, folder)
    case "allow":
      configuration.allowances = allowances(value, folder)
    case "programs":
      configuration.programs = programs(value, folder)
    case "swift":
      guard let members = object("`swift`", value, Self.example) else { return }
      var options = CompileOptionsFile(section: members, folder: folder)
      diagnostics += options.takeDiagnostics()
      configuration.swift = options
    default:
      unknown(key, among: Self.names, Self.hint(name))
    }
  }

  private static let names = [
    "extends", "include", "vendored", "exclude", "against", "rules", "lint", "overrides", "allow", "programs", "swift",
  ]

  static let example = #"such as { "include": ["Schemas"], "rules": { "field-renamed": "off" } }"#

  /// Returns advice for a key that is unknown at the top of a configuration: where it belongs, or which key was meant.
  /// Returns nil if there is no advice.
  private static func hint(_ name: String) -> String? {
    if EvolutionRule.named(name) != nil { return "rules stand in \"rules\", as in \(checkExample)" }
    if LintRule.named(name) != nil || LintRule.Group(rawValue: name) != nil {
      return "rules of `dflatc lint` stand in \"rules\" of \"lint\", as in \(lintExample)"
    }
    if CompileOptionsFile.sectionNames.contains(name) { return "options of generated Swift stand in \"swift\"" }
    return [
      "includes": "did you mean \"include\"?", "includePaths": "did you mean \"include\"?",
      "roots": "did you mean \"include\"?", "excludes": "did you mean \"exclude\"?",
      "ignore": "did you mean \"exclude\"?",
      "vendor": "did you mean \"vendored\"?", "extend": "did you mean \"extends\"?",
    ][name]
  }

  // MARK: Extending

  /// Returns a configuration that another one extends, with all that it extends itself. Reports why it cannot be read, and returns none.
  private mutating func extended(_ path: String, _ entry: PlacedJSON) -> Lineage {
    func fail(_ message: String, _ advice: String) -> Lineage {
      diagnostics.append(
        Diagnostic(OptionsCode.wrongExtension, .error, message, at: entry.range, advice: advice))
      return []
    }
    guard !chain.contains(FileSystem().identity(of: path)) else {
      return fail("\(path) would extend itself", chain.count == 1 ? "it is this file" : "it leads back to this file")
    }
    if let known = known[AbsolutePath(path)] { return known }
    guard chain.count < Self.maximumDepth, known.count < Self.maximumCount else {
      let isDeep = chain.count >= Self.maximumDepth
      return fail(
        isDeep
          ? "configurations extend one another too deeply" : "there are more than \(Self.maximumCount) configurations",
        "extend the one that has the settings")
    }
    do {
      let lineage = try lineage(of: path)
      known[AbsolutePath(path)] = lineage
      return lineage
    } catch {
      return fail("cannot read \(path): \(error.description)", "paths start at the folder of this file")
    }
  }

  /// The longest chain of configurations that extend one another: longer than any team needs, and short enough for the
  /// stack.
  private static let maximumDepth = 16
  /// The most configurations that are read: more than any team needs. Without a limit, links of folders could lead to
  /// one file by any number of paths.
  private static let maximumCount = 256

  // MARK: Overrides and allowances

  private mutating func overrides(_ value: PlacedJSON, _ folder: String) -> [TeamConfiguration.RuleSettings] {
    elements("overrides", value, Self.overrideExample).compactMap { element in
      guard let members = object("an override", element, Self.overrideExample) else { return nil }
      var settings = TeamConfiguration.RuleSettings()
      for (key, value) in members {
        switch key.string ?? "" {
        case "paths":
          settings.paths = scope("paths", value, folder) ?? PathScope(folder: AbsolutePath(folder), patterns: [])
        case "rules": settings.check = checkRules(value)
        case "lint": settings.lint = lintSettings(value)
        default: unknown(key, among: ["paths", "rules", "lint"], nil)
        }
      }
      guard settings.paths != nil else {
        wrong("an override says nothing of its paths", element, "add \"paths\"", [Self.overrideExample])
        return nil
      }
      return settings
    }
  }

  private static let overrideExample = #"such as { "paths": ["legacy"], "lint": { "rules": { "names": "off" } } }"#

  private mutating func allowances(_ value: PlacedJSON, _ folder: String) -> [TeamConfiguration.Allowance] {
    elements("allow", value, Self.allowExample).compactMap { element in
      guard let members = object("an entry of `allow`", element, Self.allowExample) else { return nil }
      var (rule, name, reason): (String?, String?, String?)
      var paths: PathScope?
      let before = diagnostics.count
      for (key, value) in members {
        switch key.string ?? "" {
        case "rule":
          rule = string("rule", value, "write the id of a rule")
          if let id = rule, EvolutionRule.named(id) == nil { noteUnknownRule(id, value, mayBeOfProgram: true) }
        case "path":
          paths = string("path", value, "write the path of a file or folder")
            .flatMap { pattern($0, value, folder) }
            .map { PathScope(folder: AbsolutePath(folder), patterns: [$0]) }
        case "name": name = string("name", value, "write the name of a type, or Type.field")
        case "reason": reason = string("reason", value, "write why it is let through")
        default: unknown(key, among: ["rule", "path", "name", "reason"], nil)
        }
      }
      guard diagnostics.count == before else { return nil }
      guard let rule, let reason, paths != nil || name != nil else {
        let missing = rule == nil ? "rule" : reason == nil ? "reason" : "path"
        wrong("an entry of `allow` has no \"\(missing)\"", element, "add it", [Self.allowExample])
        return nil
      }
      return TeamConfiguration.Allowance(
        rule: rule, paths: paths, name: name, reason: reason, file: sources[element.range.file], range: element.range)
    }
  }

  private static let allowExample =
    #"such as { "rule": "type-removed", "path": "old.fbs", "name": "Note", "reason": "no release had it" }"#
}
