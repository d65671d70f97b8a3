import FBSSchema

/// The nested enums that stand for namespaces: `Shop.Billing.Invoice` is a type in the enum `Billing` in the enum `Shop`.
///
/// A module has to declare each of them once, however many schemas define something in it, even if they are compiled
/// one by one. So the declarations belong to no schema.
public struct NamespaceDeclarations: Sendable {
  /// Which files declare the enums that stand for namespaces.
  public enum Files: Hashable, Sendable {
    /// No file: the app declares the namespaces itself.
    case none
    /// One file for each namespace. Every run that needs it writes the same file, so that several runs may write to one
    /// folder.
    case each
    /// One file of this name for all namespaces, even if there are none: for builds that have to know their outputs
    /// beforehand.
    case one(String)
  }

  /// The namespaces as Swift spells them, each after those around it.
  private var namespaces: [[String]] = []
  /// The access level of each namespace: the widest of the types in it.
  private var access: [[String]: AccessLevel] = [:]

  /// Creates an empty collection of declarations.
  public init() {}

  /// Adds the namespaces of another schema.
  public mutating func add(_ other: NamespaceDeclarations) {
    for namespace in other.namespaces { add(namespace, other.access[namespace] ?? .public) }
  }

  private mutating func add(_ namespace: [String], _ level: AccessLevel) {
    if let known = access[namespace] {
      access[namespace] = max(known, level)
    } else {
      access[namespace] = level
      namespaces.append(namespace)
    }
  }

  /// Adds the namespaces in which the inputs of a schema define something, except those for which a root class stands.
  mutating func add(inputsOf schema: Schema, _ names: Namer, _ levels: AccessLevels) {
    for definition in schema.files.lazy.filter(\.isInput).flatMap(\.definitions) {
      let namespace = names.declared(definition).namespace
      for length in 1..<namespace.count + 1 {
        let outer = Array(namespace.prefix(length))
        if !names.namespacesThatAreClasses.contains(outer) { add(outer, levels.level(of: definition)) }
      }
    }
  }

  /// Returns the files that declare the namespaces.
  public func files(_ files: Files) -> [GeneratedFile] {
    switch files {
    case .none: []
    case .each: filesOfEach
    case .one(let name): [GeneratedFile(name: name, content: content(namespaces))]
    }
  }

  /// A file for each namespace. Namespaces that differ only in case share one: some file systems treat their names as
  /// the same.
  private var filesOfEach: [GeneratedFile] {
    var groups: [(name: String, namespaces: [[String]])] = []
    var places: [String: Int] = [:]
    for namespace in namespaces {
      let name = namespace.joined(separator: ".").filter { $0 != "`" }
      if let place = places[name.lowercased()] {
        groups[place].namespaces.append(namespace)
      } else {
        places[name.lowercased()] = groups.count
        groups.append((name, [namespace]))
      }
    }
    return groups.map { name, namespaces in
      GeneratedFile(name: name + "_namespace_generated.swift", content: content(namespaces))
    }
  }

  private func content(_ namespaces: [[String]]) -> [UInt8] {
    var writer = CodeWriter()
    writer.header(from: nil, imports: [])
    for namespace in namespaces {
      writer.access = access[namespace] ?? .public
      writer.declaration(in: Array(namespace.dropLast())) {
        $0.line("public enum \(namespace[namespace.count - 1]) {}")
      }
    }
    return writer.bytes
  }
}
