import FBSDiagnostics
import FBSParser

/// The names of a run, with the definition and the namespace of each.
struct SymbolTable {
  var names = NameTable()
  var namespaces = NamespaceTable()
  /// All definitions, in the order in which they were read.
  var definitions: [UnresolvedDefinition] = []
  /// The definitions by namespace and name. If two have one name, the first.
  var types: [NamespaceTable.Pair: Int] = [:]
  /// The declarations of attributes, by name.
  var declaredAttributes: [String: [(file: Int, token: TokenIndex)]] = [:]
  /// The number of definitions that have each name.
  private var typeCounts: [Int] = []

  init() {
    for builtin in BuiltinType.names { _ = names.intern(Array(builtin.name.utf8)[...]) }
  }

  /// Counts the definitions of each name. Call it once, when all are known.
  mutating func countTypes() {
    typeCounts = Array(repeating: 0, count: names.strings.count)
    for definition in definitions { typeCounts[definition.name] += 1 }
  }

  func typeCount(_ name: Int) -> Int { name < typeCounts.count ? typeCounts[name] : 0 }
}

/// Something that a file defines, not yet resolved.
struct UnresolvedDefinition {
  let file: Int
  let namespace: Int
  let name: Int
  let nameToken: TokenIndex
  let id: DefinitionID
  let syntax: ItemSyntax

  /// The index in `SyntaxTree.types` of the type of an enum's numbers or a union's codes; nil if none is written.
  var numberType: Int? {
    switch syntax {
    case .enumeration(let node): node.type
    case .union(let node): node.type
    default: nil
    }
  }
}
