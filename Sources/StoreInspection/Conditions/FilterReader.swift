import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON

/// Parses conditions and field paths, and binds them to the fields of a table.
public struct FilterReader {
  private let names: FilterNames

  /// Creates a reader for expressions about a table.
  public init(_ table: TableID, _ layouts: SchemaLayouts) {
    names = FilterNames(table, layouts)
  }

  /// Parses and binds a condition.
  /// - Returns: the condition, or the error in the text of the file.
  public func filter(_ file: SourceFile) -> (filter: Filter?, diagnostic: Diagnostic?) {
    do throws(FilterMistake) {
      var parser = try FilterParser(file)
      var binder = FilterBinder(names)
      return (Filter(root: try binder.bind(parser.condition())), nil)
    } catch {
      return (nil, error.diagnostic)
    }
  }

  /// Resolves the path of a field that can be ordered.
  public func path(_ names: [String], in file: SourceFile) -> (path: FieldPath?, diagnostic: Diagnostic?) {
    let range = SourceRange(file: file.id, start: 0, end: file.bytes.count)
    let path = FilterSyntax.Path(names: names, isQuoted: true)
    do throws(FilterMistake) {
      let found = try self.names.find(path, at: range)
      switch (found.kind, found.operand) {
      case (.presence, _), (.vector, _):
        throw FilterMistake(
          .wrongFilterType, "`\(path.text)` has no order", at: range, advice: "name a number, bool, enum or string")
      case (_, .field(let field)): return (field.path, nil)
      default:
        throw FilterMistake(
          .wrongFilterType, "`\(path.text)` is not a field", at: range, advice: "name a number, bool, enum or string")
      }
    } catch {
      return (nil, error.diagnostic)
    }
  }
}
