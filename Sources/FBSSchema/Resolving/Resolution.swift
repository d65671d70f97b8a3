import FBSDiagnostics
import FBSParser

/// Binds the names of all files and computes what their definitions mean, stage after stage.
///
/// Each stage depends on the stages before it: every definition has its name and id first, enums are known before the
/// structs that hold them, and all types before the tables.
enum Resolution {
  /// Resolves the files of a run.
  /// - Parameters:
  ///   - order: the files, each after those that it includes.
  ///   - faults: the offset of the first mistake in the text of each file. Declarations may be missing from there on.
  ///   - resolved: the tables of an earlier run, which are replaced by those of this one.
  /// - Returns: the schema, its diagnostics, and its symbols.
  static func run(
    files: [LoadedFile], order: [Int], faults: [FileID: Int], resolved: inout ResolvedTables
  ) -> ResolutionScope {
    let scope = ResolutionScope(files: files, order: order)
    for file in files.indices {
      // If nothing in a file could be parsed, for instance because it is binary, any name may be missing because of it.
      let isUnread = files[file].tree.items.isEmpty && faults[FileID(file)] != nil
      if isUnread || files[file].hasMissingInclude || files[file].tree.hasUnreadInclude {
        scope.filesWithMissingIncludes.insert(file)
      }
    }
    var declarations = DeclarationStage(scope)
    declarations.run()
    let numberTypes = NumberTypes(scope)
    var enums = EnumStage(scope, numberTypes)
    enums.run()
    var structs = StructStage(scope)
    structs.run()
    var unions = UnionStage(scope, numberTypes)
    unions.run()
    var tables = TableStage(scope)
    // After a mistake, the parser may take text behind a table for something else.
    let kept = faults.isEmpty ? resolved.kept(for: files, order: order) : nil
    tables.run(keeping: kept)
    resolved.resolvedCount += tables.resolvedCount
    if faults.isEmpty {
      resolved.update(scope.schema.tables, of: files, order: order, kept: kept, isClean: tables.isClean)
    }
    FileStage(scope).run(declarations.pending)
    scope.objects = declarations.pending.objects
    var objects = ObjectChecker(scope)
    for object in scope.objects {
      objects.check(object, roots: declarations.pending.roots, faults: faults)
    }
    return scope
  }
}
