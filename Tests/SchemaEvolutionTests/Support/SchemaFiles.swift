import ConformanceSupport
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport

/// A schema that is split over files, each of which includes what it uses.
struct SchemaFiles {
  /// The texts, by their names.
  let texts: [String: String]

  /// How many files a schema is split over at most. Each is there in every version, so that each can be asked about.
  static let count = 4

  /// Which file each definition is in, by its id.
  static func split(_ model: SchemaModel, _ random: inout SeededGenerator) -> [Int: Int] {
    let files = 1 + random.next(count)
    return Dictionary(uniqueKeysWithValues: model.definitions.map { ($0.id, random.next(files)) })
  }

  /// The split of a later version: some definitions move to other files.
  static func moved(_ split: [Int: Int], _ model: SchemaModel, _ random: inout SeededGenerator) -> [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: model.definitions.map { definition in
        let before = split[definition.id] ?? 0
        return (definition.id, random.once(in: 3) ? random.next(count) : before)
      })
  }

  /// Each file includes what it uses, and some others that it does not: includes come and go with the versions.
  init(_ model: SchemaModel, split: [Int: Int], _ random: inout SeededGenerator) {
    var texts: [String: String] = [:]
    for file in 0..<Self.count {
      let own = model.definitions.filter { split[$0.id] == file }
      var body = "namespace;\n"
      var includes: Set<Int> = []
      // flatc asks for enums before structs, those before unions, those before tables.
      for kind in [SchemaModel.Kind.enumeration, .structure, .union, .table] {
        for definition in own where definition.kind == kind {
          body += definition.namespace.isEmpty ? "namespace;\n" : "namespace \(definition.namespace);\n"
          body += model.text(definition, false, false)
          for member in definition.members {
            for id in [member.type.definition, member.nested] {
              if let other = id.flatMap({ split[$0] }), other != file { includes.insert(other) }
            }
          }
        }
      }
      body += "namespace;\n"
      if let root = model.root, split[root] == file, let place = model.place(root) {
        body += "root_type \(model.definitions[place].fullName);\n"
        if let identifier = model.identifier { body += "file_identifier \"\(identifier)\";\n" }
      }
      for other in 0..<Self.count where other != file && random.once(in: 6) { includes.insert(other) }
      let lines = includes.sorted().map { "include \"\(Self.name($0))\";\n" }.joined()
      texts[Self.name(file)] = lines + body
    }
    self.texts = texts
  }

  static func name(_ file: Int) -> String { "f\(file).fbs" }

  /// The files for a comparison.
  /// - Parameters:
  ///   - all: The texts by their paths.
  ///   - paths: Those that are named: the others are beside them.
  static func version(_ all: [String: String], naming paths: [String]) -> VersionFiles {
    let provider = SchemaTexts(all)
    let compilation = SchemaCompiler.compile(inputs: paths, provider: provider)
    let keys = compilation.schema.files.filter(\.isInput).map { ($0.id, $0.path) }
    return VersionFiles(compilation, keys: Dictionary(uniqueKeysWithValues: keys)) {
      all.filter { !paths.contains($0.key) }.sorted { $0.key < $1.key }.map {
        VersionFiles.Neighbour(path: $0.key, key: $0.key, bytes: Array($0.value.utf8))
      }
    } compile: {
      SchemaCompiler.compile(inputs: $0, provider: provider)
    }
  }

  /// What is said of the step between two versions, if these files are named.
  static func transition(_ old: [String: String], _ new: [String: String], naming paths: [String]? = nil) -> Transition
  {
    Transition(
      old: version(old, naming: paths ?? old.keys.sorted()), new: version(new, naming: paths ?? new.keys.sorted()))
  }
}
