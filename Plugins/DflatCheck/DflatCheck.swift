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
    var checked: [String] = []
    for target in targets {
      guard target.hasReadableOptions else {
        // Which folder and which version to compare with is unknown. dflatc shows the mistake at its place.
        _ = try context.runCompiler(target.compileArguments + ["--diff", target.folder])
        mistakes.append("the options of \(target.name) cannot be read")
        continue
      }
      // A target that the build-tool plug-in compiles has no such folder.
      let hasGeneratedCode = target.hasGeneratedCode(in: context)
      let isUpToDate =
        try !hasGeneratedCode || context.runCompiler(target.compileArguments + ["--diff", target.folder])
      if !isUpToDate {
        mistakes.append(
          "\(target.output) is not what `swift package dflat-generate` makes of the schemas of \(target.name)")
      }
      if hasGeneratedCode || hasEarlierVersion || target.hasEarlierVersion { checked.append(target.name) }
      if hasEarlierVersion || target.hasEarlierVersion {
        if try !context.runCompiler(["check"] + target.optionArguments + arguments + [target.folder]) {
          mistakes.append("the schemas of \(target.name) may not replace their earlier version")
        }
      } else {
        let reason =
          hasGeneratedCode
          ? "there is no earlier version to check against"
          : "nothing is checked: its Swift is made by the build, and there is no earlier version"
        print("note: \(target.name): \(reason); say --against git:REF, or \"against\" in dflatc.json")
      }
    }
    guard mistakes.isEmpty else { throw PluginFailure(mistakes.joined(separator: "\n")) }
    if !checked.isEmpty { print("\(checked.joined(separator: ", ")): checked") }
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
