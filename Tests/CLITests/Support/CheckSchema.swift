import Foundation
import TestSupport
import Testing

/// Every member is in the published schema, and what the schema requires is there.
func checkAgainstSchema(_ report: [String: Any]) throws {
  let file = packageFolder.appending(path: "Documentation/check-schema.json")
  let schema = try #require(
    try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
  let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
  func check(_ value: Any, _ schema: [String: Any], _ path: String) {
    var schema = schema
    if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
      schema = definitions[String(name)] ?? [:]
    }
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
      for (name, value) in object {
        if let inner = properties[name] {
          check(value, inner, "\(path).\(name)")
        } else {
          Issue.record("the schema lacks \(path).\(name)")
        }
      }
      for name in schema["required"] as? [String] ?? [] { #expect(object[name] != nil, "\(path).\(name)") }
    } else if let array = value as? [Any] {
      for entry in array { check(entry, schema["items"] as? [String: Any] ?? [:], path) }
    }
    if let choices = schema["enum"] as? [String], let text = value as? String {
      #expect(choices.contains(text), "\(path)")
    }
  }
  check(report, schema, "")
}
