import ArgumentParser
import Emitters

extension AccessLevel: ExpressibleByArgument {}

extension Compile {
  static func parseNamespaces(_ text: String) throws -> NamespaceDeclarations.Files {
    guard let files = namespaceFiles(text) else {
      throw ValidationError("--namespaces takes each, none, or the name of a Swift file, and not '\(text)'.")
    }
    return files
  }

  /// Parses the argument of `--namespaces`; nil if it is neither `each`, nor `none`, nor the name of a Swift file.
  static func namespaceFiles(_ text: String) -> NamespaceDeclarations.Files? {
    switch text {
    case "each": .each
    case "none": NamespaceDeclarations.Files.none
    default: text.hasSuffix(".swift") && !text.utf8.contains(UInt8(ascii: "/")) ? .one(text) : nil
    }
  }

  /// For the name of an emitter, the emitters whose output its own output needs.
  private static let foundations = [
    "data-model": ["accessors"], "mutating": ["accessors", "data-model"], "query": ["accessors", "data-model"],
    "editors": ["accessors"],
  ]

  /// Returns the first emitter whose output would not compile, and the emitters that it needs and that are missing; nil
  /// if there is none.
  static func missingFoundation(of emitters: [any Emitter]) -> (emitter: String, missing: [String])? {
    let names = emitters.map(\.name)
    for name in names {
      let missing = (foundations[name] ?? []).filter { !names.contains($0) }
      if !missing.isEmpty { return (name, missing) }
    }
    return nil
  }

  static func parseEmitters(_ text: String) throws -> EmitterSelection {
    let emitters = try text.split(separator: ",").map { name in
      guard let emitter = EmitterRegistry.emitter(named: String(name)) else {
        if name == "namespaces" {
          throw ValidationError("Namespaces are declared without being asked for: see --namespaces.")
        }
        let known = EmitterRegistry.all.map(\.name).joined(separator: ", ")
        throw ValidationError("There is no emitter called '\(name)'. There are: \(known).")
      }
      return emitter
    }
    guard !emitters.isEmpty else { throw ValidationError("Name at least one emitter after --emit.") }
    return EmitterSelection(emitters: emitters)
  }
}

/// The choice of `--emit`.
struct EmitterSelection {
  let emitters: [any Emitter]
}
