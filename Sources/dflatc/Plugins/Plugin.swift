import ArgumentParser
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation

/// An emitter outside of this package: a program that `--plugin` names.
struct Plugin: Sendable {
  let name: String
  let path: String?
  let parameter: String

  /// Parses the argument of `--plugin`: `NAME[=PATH][:PARAM]`.
  init(argument: String) throws {
    let (head, parameter) = Self.split(argument, at: ":")
    let (name, path) = Self.split(head, at: "=")
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isNamePart) else {
      throw ValidationError("A plug-in's name has letters, digits, - and _: '\(name)' is none.")
    }
    guard path != "" else { throw ValidationError("A path is missing after '\(name)='.") }
    self.name = name
    self.path = path
    self.parameter = parameter ?? ""
  }

  /// Returns the plug-in as an emitter. The program is ended if it takes more than `timeout` seconds.
  func limited(toSeconds timeout: Int) -> some OutsideEmitter { PluginRun(plugin: self, timeout: timeout) }

  private struct PluginRun: OutsideEmitter {
    let plugin: Plugin
    let timeout: Int

    var name: String { plugin.name }

    func files(
      for generator: Generator, outputNames: [String: String]
    ) throws(OutsideEmitterFailure) -> [GeneratedFile] {
      try plugin.files(for: generator, outputNames, timeout: timeout)
    }
  }

  /// Runs the plug-in for a valid schema, and returns the files that it makes.
  private func files(
    for generator: Generator, _ outputNames: [String: String], timeout: Int
  ) throws(OutsideEmitterFailure) -> [GeneratedFile] {
    let program = try program()
    let request: [UInt8]
    do {
      request = try PluginExchange.request(for: generator, outputNames: outputNames, parameter: parameter)
    } catch {
      throw .failed(error.reason)
    }
    let response: [UInt8]
    do throws(ChildProcess.Failure) {
      response = try ChildProcess(path: program, arguments: [], timeout: timeout).run(input: request)
    } catch {
      throw .failed(error.reason(program, option: "--plugin-timeout"))
    }
    do {
      return try PluginExchange.files(in: response)
    } catch {
      switch error {
      case .refused(let message): throw .refused(message)
      case .invalid(let reason): throw .failed(reason)
      }
    }
  }

  /// Returns the path of the program: the path in the argument, or else the program's path in the folders of PATH.
  func program() throws(OutsideEmitterFailure) -> String {
    // A path without a slash names a program in this folder, and not in those of PATH.
    if let path { return path.contains("/") ? path : "./" + path }
    let program = "dflatc-gen-\(name)"
    var refused: String?
    for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
      let path = "\(folder)/\(program)"
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if access(path, X_OK) == 0 { return path }
      refused = refused ?? path
    }
    if let refused { throw .failed("\(refused) is not executable") }
    throw .failed("there is no \(program) in the folders of PATH; name its place with --plugin \(name)=PATH")
  }

  private static func split(_ text: String, at separator: Character) -> (String, String?) {
    guard let index = text.firstIndex(of: separator) else { return (text, nil) }
    return (String(text[..<index]), String(text[text.index(after: index)...]))
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension ChildProcess.Failure {
  /// Returns the failure in words.
  /// - Parameter option: the option that sets the time limit.
  func reason(_ program: String, option: String) -> String {
    switch self {
    case .notStarted(let code): "\(program) cannot be run: \(String(cString: strerror(code)))"
    case .exit(let code): "it exited with \(code)"
    case .signal(let number): "it was ended by signal \(number) (\(String(cString: strsignal(number))))"
    case .tooSlow(let seconds): "it did not answer within \(seconds) seconds (\(option))"
    case .tooMuch(let bytes): "it wrote more than \(bytes >> 20) MiB"
    case .broken(let code): "the connection to it broke: \(String(cString: strerror(code)))"
    }
  }
}
