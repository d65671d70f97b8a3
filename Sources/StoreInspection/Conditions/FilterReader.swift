import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON

/// Parses conditions and field paths, and binds them to the fields of a table.
public struct FilterReader {
  let layouts: SchemaLayouts
  let table: TableID

  /// Creates a reader for expressions about a table.
  public init(_ table: TableID, _ layouts: SchemaLayouts) {
    self.table = table
    self.layouts = layouts
  }

  /// Parses and binds a condition.
  /// - Returns: the condition, or the error in the text of the file.
  public func filter(_ file: SourceFile) -> (filter: Filter?, diagnostic: Diagnostic?) {
    do throws(FilterMistake) {
      var parser = try FilterParser(file)
      return (Filter(root: try bind(parser.condition())), nil)
    } catch {
      return (nil, error.diagnostic)
    }
  }

  /// Resolves the path of a field that can be ordered.
  public func path(_ names: [String], in file: SourceFile) -> (path: FieldPath?, diagnostic: Diagnostic?) {
    let range = SourceRange(file: file.id, start: 0, end: file.bytes.count)
    do throws(FilterMistake) {
      let (path, kind) = try resolve(names, at: range)
      if case .presence = kind {
        throw FilterMistake(
          .wrongFilterType, "`\(names.joined(separator: "."))` has no order", at: range,
          advice: "name a number, bool, enum or string")
      }
      return (path, nil)
    } catch {
      return (nil, error.diagnostic)
    }
  }

  // MARK: Binding

  private func bind(_ syntax: FilterSyntax) throws(FilterMistake) -> Filter.Node {
    switch syntax {
    case .or(let a, let b): return .or(try bind(a), try bind(b))
    case .and(let a, let b): return .and(try bind(a), try bind(b))
    case .not(let inner): return .not(try bind(inner))
    case .isNull(let operand, let isNegated):
      guard case .path(let names) = operand.kind else {
        throw FilterMistake(.wrongFilterType, "a value is never null", at: operand.range, advice: "name a field")
      }
      let node = Filter.Node.isNull(.field(try resolve(names, at: operand.range).path))
      return isNegated ? .not(node) : node
    case .alone(let operand):
      if case .bool(let value) = operand.kind { return .truth(.value(.integer(value ? 1 : 0))) }
      if case .path(let names) = operand.kind {
        let (path, kind) = try resolve(names, at: operand.range)
        if case .bool = kind { return .truth(.field(path)) }
      }
      throw FilterMistake(
        .malformedFilter, "this is neither true nor false", at: operand.range, advice: "compare it with something")
    case .comparison(let left, let comparison, let right):
      let (a, b) = try pair(left, right)
      return .comparison(a, comparison, b)
    case .among(let operand, let choices, let isNegated):
      var first: Filter.Operand?
      var bound: [Filter.Operand] = []
      for choice in choices {
        let (a, b) = try pair(operand, choice)
        first = a
        bound.append(b)
      }
      guard let first else { return .not(.truth(.value(.integer(1)))) }
      let node = Filter.Node.among(first, bound)
      return isNegated ? .not(node) : node
    }
  }

  /// Binds two operands that are compared with one another.
  private func pair(
    _ left: FilterSyntax.Operand, _ right: FilterSyntax.Operand
  ) throws(FilterMistake) -> (Filter.Operand, Filter.Operand) {
    let (a, b) = (field(left), field(right))
    if let a, let b {
      guard comparable(a.kind, b.kind) else { throw mismatch(a.kind, right.range) }
      return (.field(a.path), .field(b.path))
    }
    if let a { return (.field(a.path), .value(try value(right, as: a.kind))) }
    if let b { return (.value(try value(left, as: b.kind)), .field(b.path)) }
    // Neither is a field: report the error of an operand that looks like one.
    for operand in [left, right] {
      if case .path(let names) = operand.kind { _ = try resolve(names, at: operand.range) }
    }
    throw FilterMistake(.wrongFilterType, "neither of the two is a field", at: left.range, advice: "name a field")
  }

  private func field(_ operand: FilterSyntax.Operand) -> (path: FieldPath, kind: Kind)? {
    guard case .path(let names) = operand.kind else { return nil }
    return try? resolve(names, at: operand.range)
  }

  private func comparable(_ a: Kind, _ b: Kind) -> Bool {
    switch (a, b) {
    case (.text, .text): true
    case (.presence, _), (_, .presence), (.text, _), (_, .text): false
    // Numbers of different units.
    case (.mapped(let a), .mapped(let b)): a == b
    default: true
    }
  }
}
