import FBSDiagnostics

/// Shows a difference: to people as text or Markdown, and to programs as JSON. The output depends only on the
/// arguments.
public struct DifferenceText {
  private let changes: [SchemaChange]
  private let isCompatible: Bool

  /// Creates the text of a difference.
  /// - Parameter isCompatible: whether the new version may replace the old one.
  public init(_ difference: SchemaDifference, isCompatible: Bool) {
    changes = difference.changes
    self.isCompatible = isCompatible
  }

  /// The difference as text for people, with a line for each change below its type and its file.
  public var text: String {
    var output = ""
    for (path, types) in groups {
      output += (output.isEmpty ? "" : "\n") + path + "\n"
      for (name, changes) in types {
        let indentation = name.isEmpty ? "  " : "    "
        if !name.isEmpty { output += "  \(name)\n" }
        for change in changes {
          output += "\(indentation)\(Self.sign(change)) \(change.text)\n"
          for note in Self.notes(change) { output += "\(indentation)    \(note)\n" }
        }
      }
    }
    return output + (output.isEmpty ? "" : "\n") + summary + "\n"
  }

  /// The difference in Markdown, for change logs and reviews.
  public var markdown: String {
    var output = ""
    for (path, types) in groups {
      output += "### \(Self.escape(path))\n\n"
      for (name, changes) in types {
        if !name.isEmpty { output += "**\(Self.escape(name))**\n\n" }
        for change in changes {
          output += "- \(change.severity == .error ? "**Breaking:** " : "")\(Self.escape(change.text))\n"
          for note in Self.notes(change) { output += "  - \(Self.escape(note))\n" }
        }
        output += "\n"
      }
    }
    return output + summary.prefix(1).uppercased() + summary.dropFirst() + ".\n"
  }

  /// The difference in JSON, for programs. Members may be added; `version` changes when one is removed or changes its
  /// meaning.
  public var json: String {
    var writer = JSONWriter()
    writer.object {
      $0.member("version", 1)
      $0.member("compatible", isCompatible)
      $0.array("changes", changes) { writer, change in
        writer.object {
          $0.member("file", change.path)
          $0.member("kind", change.kind.rawValue)
          if !change.typeKind.isEmpty { $0.member("typeKind", change.typeKind) }
          if !change.typeName.isEmpty { $0.member("type", change.typeName) }
          if !change.member.isEmpty { $0.member("member", change.member) }
          $0.member("text", change.text)
          $0.array("findings", change.findings) { writer, finding in
            writer.object {
              $0.member("rule", finding.rule.id)
              $0.member("level", finding.rule.level.rawValue)
              $0.member("severity", finding.severity.rawValue)
              $0.member("message", finding.message)
              $0.member("harm", finding.harm)
            }
          }
        }
      }
    }
    return writer.text + "\n"
  }

  private var summary: String {
    guard !changes.isEmpty else { return "nothing differs" }
    let breaking = changes.count { $0.severity == .error }
    let count = "\(changes.count) change\(changes.count == 1 ? "" : "s")"
    let verdict = "the new version \(isCompatible ? "may" : "may not") replace the old one"
    return "\(count)\(breaking == 0 ? "" : ", of which \(breaking) break\(breaking == 1 ? "s" : "")"): \(verdict)"
  }

  /// The changes by file and type, in their order.
  private var groups: [(path: String, types: [(name: String, changes: [SchemaChange])])] {
    var result: [(path: String, types: [(name: String, changes: [SchemaChange])])] = []
    for change in changes {
      if result.last?.path != change.path { result.append((change.path, [])) }
      let name = [change.typeKind, change.typeName].filter { !$0.isEmpty }.joined(separator: " ")
      let index = result.count - 1
      if let type = result[index].types.firstIndex(where: { $0.name == name }) {
        result[index].types[type].changes.append(change)
      } else {
        result[index].types.append((name, [change]))
      }
    }
    return result
  }

  private static func sign(_ change: SchemaChange) -> String {
    if change.severity == .error { return "!" }
    return switch change.kind {
    case .added: "+"
    case .removed: "-"
    case .changed: "~"
    }
  }

  /// Returns the parts of the check's findings that the change itself does not say.
  private static func notes(_ change: SchemaChange) -> [String] {
    change.findings.map { "\($0.severity.rawValue)[\($0.rule.id)]: \($0.harm)" }
  }

  private static func escape(_ text: String) -> String {
    var output = ""
    var isCode = false
    for character in text {
      if character == "`" { isCode.toggle() }
      if !isCode, "\\*_[]<>#|".contains(character) { output += "\\" }
      output.append(character)
    }
    return output
  }
}
