import FBSDiagnostics
import FBSParser
import Foundation
import SchemaEvolution

/// What a team made of the rules: `.dflatc.json`.
struct CheckConfiguration {
  /// Why one cannot be used.
  struct Failure: Error {
    let message: String
    let status: ExitStatus
  }

  static let fileName = ".dflatc.json"

  var settings: [String: EvolutionReport.Setting] = [:]

  /// The configuration that was named, or the nearest one from the current folder upwards, or none.
  static func find(_ path: String?) throws(Failure) -> CheckConfiguration {
    if let path { return try read(path) }
    var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    while true {
      let path = folder.appendingPathComponent(fileName).path
      if FileManager.default.fileExists(atPath: path) { return try read(path) }
      guard folder.path != "/" else { return CheckConfiguration() }
      folder.deleteLastPathComponent()
    }
  }

  private static func read(_ path: String) throws(Failure) -> CheckConfiguration {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      throw Failure(message: "cannot read \(path): \(error.description)", status: .inputOutput)
    }
    let value: Any
    do {
      value = try JSONSerialization.jsonObject(with: Data(bytes))
    } catch {
      throw Failure(message: "\(path) is not JSON", status: .usage)
    }
    guard let object = value as? [String: Any] else {
      throw Failure(message: "\(path) should be an object such as \(example)", status: .usage)
    }
    var configuration = CheckConfiguration()
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      guard name == "rules" else {
        let hint = EvolutionRule.named(name) == nil ? "" : ": rules stand in \"rules\", as in \(example)"
        throw Failure(message: "\(path): there is no setting \"\(name)\"\(hint)", status: .usage)
      }
      guard let rules = value as? [String: Any] else {
        throw Failure(message: "\(path): \"rules\" should be an object such as in \(example)", status: .usage)
      }
      for (id, value) in rules.sorted(by: { $0.key < $1.key }) {
        configuration.settings[id] = try setting(id, value, path)
      }
    }
    return configuration
  }

  private static func setting(_ id: String, _ value: Any, _ path: String) throws(Failure) -> EvolutionReport.Setting {
    guard EvolutionRule.named(id) != nil else {
      let nearest = nearestName(to: id, in: EvolutionRule.all.map(\.id)).map { ": did you mean \"\($0)\"?" } ?? ""
      throw Failure(message: "\(path): there is no rule \"\(id)\"\(nearest)", status: .usage)
    }
    switch value as? String {
    case "error": return .severity(.error)
    case "warning": return .severity(.warning)
    case "note": return .severity(.note)
    case "off": return .off
    default:
      throw Failure(message: "\(path): \"\(id)\" should be \"error\", \"warning\", \"note\" or \"off\"", status: .usage)
    }
  }

  private static let example = #"{ "rules": { "field-renamed": "off" } }"#
}
