import Foundation
import TestSupport
import Testing

/// The configurations and programs of tests about rules of a team's own.
enum RulePrograms {
  /// A configuration with one program.
  static func configuration(_ path: String, _ rules: String, _ more: String = "", beside others: String = "") -> String
  {
    "{ \(others)\"programs\": [{ \"name\": \"acme\", \"path\": \"\(path)\", \(more)\"rules\": { \(rules) } }] }"
  }

  /// Writes a program, `rules`, that is a script of the shell.
  static func script(_ text: String, in folder: URL) throws {
    let path = try folder.write("#!/bin/sh\n\(text)\n", to: "rules")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  /// Writes a program, `rules`, that answers with findings, whatever it is asked.
  static func answer(_ findings: String, checked: String = "", in folder: URL) throws {
    try folder.write(dflatc("plugin-schema").output, to: "plugin.fbs")
    let rules = checked.isEmpty ? "" : ", \"checked_rules\": [\(checked)]"
    try folder.write("{ \"findings\": [\(findings)]\(rules) }", to: "response.json")
    let made = try dflatc("convert", "-b", "-o", "response.bin", "plugin.fbs", "response.json", in: folder)
    #expect(made.status == 0, "\(made.error)")
    let path = folder.path
    try script("echo run >> '\(path)/runs'; cat > '\(path)/request.bin'; cat '\(path)/response.bin'", in: folder)
  }

  /// How often such a program was run.
  static func runs(in folder: URL) throws -> Int {
    try String(contentsOf: folder.appending(path: "runs"), encoding: .utf8).split(separator: "\n").count
  }
}
