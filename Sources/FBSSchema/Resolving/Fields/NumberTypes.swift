import FBSDiagnostics
import FBSParser

/// Finds the types of enums' numbers and of unions' codes.
///
/// A class, since enums and unions share the results: a chain of enums is walked once.
final class NumberTypes {
  private let scope: ResolutionScope
  /// The types found so far, by the index of a definition.
  private var known: [Int: ScalarType] = [:]

  init(_ scope: ResolutionScope) { self.scope = scope }

  /// Returns the type of an enum's numbers: a whole number type, or that of another enum, wherever it is declared.
  /// - Parameter index: the index of the enum among the definitions.
  func type(of index: Int) -> ScalarType {
    var path: Set<Int> = []
    var current = index
    var found: ScalarType?
    // A chain of enums may be long: this does not recurse.
    while found == nil {
      if let known = known[current] {
        found = known
      } else if !path.insert(current).inserted {
        reportCycle(current)
        found = .int64
      } else {
        switch writtenType(of: current) {
        case .number(let type): found = type
        case .sameAs(let other): current = other
        }
      }
    }
    for step in path { known[step] = found }
    return found ?? .int64
  }

  /// The number type that an enum declares: a type, or that of another enum.
  private enum WrittenType {
    case number(ScalarType)
    case sameAs(Int)
  }

  private func writtenType(of index: Int) -> WrittenType {
    let definition = scope.symbols.definitions[index]
    let tree = scope.tree(definition.file)
    guard let type = definition.numberType.map({ tree.types[$0] }) else { return .number(.int32) }
    if case .named = type.kind {
      switch scope.builtin(type, tree) {
      case .scalar(let scalar) where scalar.isInteger: return .number(scalar)
      case .scalar, .string: break
      case nil:
        guard
          let other = scope.resolveIndex(
            type.span, from: definition.namespace, in: definition.file, user: definition.name)
        else {
          return .number(.int64)
        }
        if case .enumeration = scope.symbols.definitions[other].id { return .sameAs(other) }
      }
    }
    scope.error(
      .wrongType,
      "`\(tree.text(of: type.span))` cannot be the type of \(definition.id.kindName)'s \(definition.id.isUnion ? "codes" : "numbers")",
      at: tree.range(of: type.span),
      advice: "use a whole number type", notes: ["byte, ubyte, short, ushort, int, uint, long and ulong are such types"]
    )
    return .number(.int64)
  }

  private func reportCycle(_ index: Int) {
    let definition = scope.symbols.definitions[index]
    let tree = scope.tree(definition.file)
    guard let type = definition.numberType.map({ tree.types[$0] }) else { return }
    scope.error(
      .wrongType, "the type of enum `\(scope.qualifiedName(definition))` is its own", at: tree.range(of: type.span),
      advice: "use a whole number type")
  }
}
