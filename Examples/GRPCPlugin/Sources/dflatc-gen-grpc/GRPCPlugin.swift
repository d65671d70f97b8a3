import SchemaPlugins

/// The program `dflatc-gen-grpc`: for each schema with services, a Swift file of them for grpc-swift 2.
@main
struct GRPCPlugin {
  static func main() {
    PluginProgram.run { request in
      let options = try Options(request.parameter)
      var names = try SwiftNames(request)
      let all = try request.schema.services.map { try Service($0, &names, options) }
      return request.inputs.compactMap { input in
        // Those of included files are written when these are inputs themselves.
        let services = all.filter { $0.file == input.path }
        guard !services.isEmpty else { return nil }
        let file = GRPCFile(
          source: String(input.path.split(separator: "/").last ?? ""), compilerVersion: request.compilerVersion,
          services: services, names: names)
        return PluginOutput(name: input.outputStem + "_grpc_generated.swift", text: file.text)
      }
    }
  }
}

/// Why there is no output, as dflatc shows it.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The parameter of the plug-in: `--plugin grpc:access=internal`.
struct Options {
  /// How visible the Swift of a service is that says nothing of it itself.
  private(set) var access = Access.public

  /// - Throws: `Refusal` if the parameter is none of this plug-in.
  init(_ parameter: String) throws {
    for option in parameter.split(separator: ",") {
      guard option.hasPrefix("access="), let access = Access(rawValue: String(option.dropFirst("access=".count))) else {
        let known = Access.allCases.map { "'access=\($0.rawValue)'" }.joined(separator: ", ")
        throw Refusal("there is no option '\(option)'. There are: \(known)")
      }
      self.access = access
    }
  }
}

/// How visible generated Swift is.
enum Access: String, CaseIterable {
  case `internal`, `package`, `public`
}
