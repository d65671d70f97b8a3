import FBSDiagnostics
import FBSParser
import FBSSchema

/// The names of a file's declarations, with their ranges, read from the text alone. They tell what a finding is about.
public struct DeclaredNames: Sendable {
  private struct Declaration: Sendable {
    /// The range of the whole declaration.
    let range: SourceRange
    let name: QualifiedName
    /// The members, by the places of their names.
    var members: [(range: SourceRange, name: String)]
  }

  private var declarations: [Declaration] = []

  /// Reads the names in a file. It is parsed, so that the time is linear in its size.
  public init(_ file: SourceFile) {
    let tree = Parser.parse(file).tree
    var namespace: [String] = []
    func member(_ token: TokenIndex) -> (range: SourceRange, name: String) {
      (tree.range(of: token), tree.text(of: token))
    }
    for item in tree.items {
      let found: (name: TokenIndex, members: [(range: SourceRange, name: String)])
      switch item {
      case .namespace(let name):
        namespace = name?.components.map { tree.text(of: $0) } ?? []
        continue
      case .table(let node), .structure(let node):
        found = (node.name, node.fields.map { member(tree.fields[$0].name) })
      case .enumeration(let node): found = (node.name, node.values.map { member(tree.enumValues[$0].name) })
      case .union(let node):
        found = (
          node.name,
          node.members.map {
            let name = tree.unionMembers[$0].name
            return (tree.range(of: name), tree.text(of: name))
          }
        )
      case .service(let node): found = (node.name, node.methods.map { member(tree.methods[$0].name) })
      case .rootType(let name):
        // The statement is about the table that it names.
        let parts = name.components.map { tree.text(of: $0) }
        declarations.append(
          Declaration(
            range: tree.range(of: name),
            name: QualifiedName(namespace: namespace + parts.dropLast(), name: parts.last ?? ""), members: []))
        continue
      case .include, .attribute, .fileIdentifier, .fileExtension, .object: continue
      }
      let start = tree.range(of: found.name)
      declarations.append(
        Declaration(
          range: start, name: QualifiedName(namespace: namespace, name: tree.text(of: found.name)),
          members: found.members))
    }
  }

  /// Returns the names of the declarations around a range, the outermost first: `Shop.Post` and `Shop.Post.likes`.
  /// Empty if no declaration contains the range.
  public func names(at range: SourceRange) -> [String] {
    guard let declaration = declarations.last(where: { $0.range.start <= range.start }) else { return [] }
    let name = declaration.name.description
    guard let member = declaration.members.last(where: { $0.range.start <= range.start }) else { return [name] }
    return [name, "\(name).\(member.name)"]
  }

  /// Returns the range of a type, `Shop.Post`, or of a member, `Shop.Post.likes`; nil if the file declares no such
  /// name.
  public func range(of name: String) -> SourceRange? {
    for declaration in declarations {
      let own = declaration.name.description
      if own == name { return declaration.range }
      guard name.hasPrefix(own + ".") else { continue }
      let rest = name.dropFirst(own.count + 1)
      if let member = declaration.members.first(where: { $0.name == rest }) { return member.range }
    }
    return nil
  }
}
