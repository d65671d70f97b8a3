import FBSDiagnostics
import FBSParser

/// The names that one file defines, without what it includes, and that of its root type. They are read from its text
/// alone, also where it has errors.
public struct DefinedNames: Sendable {
  /// The enums, structs, tables and unions, in the order of the text.
  public private(set) var types: [QualifiedName] = []
  /// The services, in the order of the text.
  public private(set) var services: [QualifiedName] = []
  /// The types that `root_type` may mean: the one of its name in the namespace, and those in the outer ones. Empty if
  /// the file has no root type.
  public private(set) var possibleRoots: [QualifiedName] = []

  /// Reads the names in a file.
  public init(_ file: SourceFile) {
    let tree = Parser.parse(file).tree
    var namespace: [String] = []
    for item in tree.items {
      switch item {
      case .namespace(let name): namespace = name?.components.map { tree.text(of: $0) } ?? []
      case .table(let node), .structure(let node): add(node.name)
      case .enumeration(let node): add(node.name)
      case .union(let node): add(node.name)
      case .service(let node): services.append(QualifiedName(namespace: namespace, name: tree.text(of: node.name)))
      case .rootType(let name):
        // As in a compilation, the last statement counts.
        let path = name.components.map { tree.text(of: $0) }
        possibleRoots = (0...namespace.count).reversed().map { count in
          QualifiedName(namespace: Array(namespace.prefix(count)) + path.dropLast(), name: path[path.count - 1])
        }
      case .include, .attribute, .fileIdentifier, .fileExtension, .object: break
      }
    }
    func add(_ name: TokenIndex) { types.append(QualifiedName(namespace: namespace, name: tree.text(of: name))) }
  }
}
