import PackagePlugin

/// `swift package dflat-generate`: writes the Swift of schemas into the package, for those who keep it in git.
@main
struct DflatGenerate: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    try generate(in: CommandContext(context), arguments)
  }

  private func generate(in context: CommandContext, _ arguments: [String]) throws {
    var arguments = arguments
    let targets = try SchemaTarget.find(in: context, &arguments)
    // Each run removes what no schema of its target accounts for.
    let shared = Dictionary(grouping: targets, by: \.output).values.first { $0.count > 1 }
    if let shared {
      throw PluginFailure(
        "the targets \(shared.map(\.name).joined(separator: " and ")) would write to the same folder, \(shared[0].output)"
      )
    }
    var failed: [String] = []
    for target in targets {
      let isDone = try context.runCompiler(target.compileArguments + arguments + [target.folder])
      if isDone { print("\(target.name): \(target.output) is up to date") } else { failed.append(target.name) }
    }
    guard failed.isEmpty else { throw PluginFailure("nothing was written for: \(failed.joined(separator: ", "))") }
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension DflatGenerate: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
      try generate(in: CommandContext(context), arguments)
    }
  }
#endif
