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
    let count = Self.count(of: declarations.count, before: range) { declarations[$0].range }
    guard count > 0 else { return [] }
    let declaration = declarations[count - 1]
    let name = declaration.name.description
    let memberCount = Self.count(of: declaration.members.count, before: range) { declaration.members[$0].range }
    return memberCount == 0 ? [name] : [name, "\(name).\(declaration.members[memberCount - 1].name)"]
  }

  /// Returns how many of `count` ranges, which are in the order of the text, begin before a range or with it.
  private static func count(of count: Int, before range: SourceRange, _ place: (Int) -> SourceRange) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if place(middle).start <= range.start { low = middle + 1 } else { high = middle }
    }
    return low
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
