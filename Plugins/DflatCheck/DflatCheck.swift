import PackagePlugin

/// `swift package dflat-check`: whether the generated Swift in the package is that of the schemas, and whether these may
/// replace the version that users have data of. Writes nothing.
@main
struct DflatCheck: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    try check(in: CommandContext(context), arguments)
  }

  private func check(in context: CommandContext, _ arguments: [String]) throws {
    var arguments = arguments
    let targets = try SchemaTarget.find(in: context, &arguments)
    let hasEarlierVersion = arguments.contains { $0 == "--against" || $0.hasPrefix("--against=") }
    var mistakes: [String] = []
    for target in targets {
      guard target.hasReadableOptions else {
        // Which folder and which version to compare with is unknown. dflatc shows the mistake at its place.
        _ = try context.runCompiler(target.compileArguments + ["--diff", target.folder])
        mistakes.append("the options of \(target.name) cannot be read")
        continue
      }
      // A target that the build-tool plug-in compiles has no such folder.
      let isUpToDate =
        try !target.hasGeneratedCode(in: context)
        || context.runCompiler(target.compileArguments + ["--diff", target.folder])
      if !isUpToDate {
        mistakes.append(
          "\(target.output) is not what `swift package dflat-generate` makes of the schemas of \(target.name)")
      }
      if hasEarlierVersion || target.hasEarlierVersion {
        if try !context.runCompiler(["check"] + target.optionArguments + arguments + [target.folder]) {
          mistakes.append("the schemas of \(target.name) may not replace their earlier version")
        }
      } else {
        print(
          "note: \(target.name): there is no earlier version to check against; say --against git:REF, or \"against\" in dflatc.json"
        )
      }
    }
    guard mistakes.isEmpty else { throw PluginFailure(mistakes.joined(separator: "\n")) }
    print("\(targets.map(\.name).joined(separator: ", ")): checked")
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension DflatCheck: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
      try check(in: CommandContext(context), arguments)
    }
  }
#endif
