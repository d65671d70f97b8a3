import SchemaPlugins

/// The program `dflatc-gen-grpc`: for each schema with services, a Swift file of them for grpc-swift 2.
@main
struct GRPCPlugin {
  static func main() {
    PluginProgram.run { request in
      let options = try Options(request)
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

/// The options of a run of this plug-in.
struct Options {
  /// The access level of a service, unless a message of it has a lower one. `--plugin grpc:access=internal` sets it; the default is
  /// that of `dflatc compile --access`.
  private(set) var access: PluginRequest.Access

  /// - Throws: `Refusal` if the parameter is none of this plug-in.
  init(_ request: PluginRequest) throws {
    access = request.access
    for option in request.parameter.split(separator: ",") {
      guard option.hasPrefix("access="),
        let access = PluginRequest.Access(rawValue: String(option.dropFirst("access=".count)))
      else {
        let known = PluginRequest.Access.allCases.map { "'access=\($0.rawValue)'" }.joined(separator: ", ")
        throw Refusal("there is no option '\(option)'. There are: \(known)")
      }
      self.access = access
    }
  }
}
