import FBSDiagnostics
import FBSSchema

extension LintRule {
  /// The rules for doc comments, and for comments that give a reason.
  static let documentationRules: [LintRule] = [rootDoc, typeDoc, fieldDoc, enumValueDoc, deprecatedReason]

  static let rootDoc = LintRule(
    id: "root-doc", group: .docs, isOn: false,
    summary: "a root table without a doc comment",
    explanation: """
      A root table is what apps store and hand to one another. A doc comment says what one object of it stands for, and is \
      carried into generated code.
      """,
    reported: Example("table Post { title: string; }\nroot_type Post;\n"),
    allowed: Example("/// What somebody has published.\ntable Post { title: string; }\nroot_type Post;\n")
  ) { subject, findings in
    let roots = Set(subject.schema.files.compactMap(\.rootTable))
    for (id, table, _) in subject.tables where roots.contains(id) && table.declaration.isUndocumented {
      findings.report(
        "the root table `\(table.name.name)` has no doc comment", at: table.declaration.nameRange,
        advice: "say what an object stands for, with `///`")
    }
  }

  static let typeDoc = LintRule(
    id: "type-doc", group: .docs, isOn: false,
    summary: "a table, struct, enum, union or service without a doc comment",
    explanation: """
      A doc comment (`///`) on each type says what it is. It is carried into generated code, where editors show it.
      """,
    reported: Example("enum Color: byte { Red, Green }\n"),
    allowed: Example("/// The colour of a post's card.\nenum Color: byte { Red, Green }\n")
  ) { subject, findings in
    for file in subject.files {
      for definition in file.file.definitions {
        let declaration = subject.schema.declaration(of: definition)
        guard declaration.isUndocumented else { continue }
        findings.report(
          "`\(subject.schema.name(of: definition).name)` has no doc comment", at: declaration.nameRange,
          advice: "say what it is, with `///`")
      }
      for service in file.file.services.map({ subject.schema[$0] }) where service.declaration.isUndocumented {
        findings.report(
          "`\(service.name.name)` has no doc comment", at: service.declaration.nameRange,
          advice: "say what it is, with `///`")
      }
    }
  }

  static let fieldDoc = LintRule(
    id: "field-doc", group: .docs, isOn: false,
    summary: "a field, or a service's method, without a doc comment",
    explanation: """
      A doc comment (`///`) on each field says what its name and type do not: the unit, the range, what absence means. \
      Deprecated fields need none. The methods of services are asked for one, too.
      """,
    reported: Example("table Track { length: int; }\n"),
    allowed: Example("table Track {\n  /// In milliseconds.\n  length: int;\n}\n")
  ) { subject, findings in
    for file in subject.files {
      for definition in file.file.definitions {
        let declarations: [Declaration]
        switch definition {
        case .table(let id): declarations = subject.schema[id].fields.filter { !$0.isDeprecated }.map(\.declaration)
        case .structure(let id): declarations = subject.schema[id].fields.map(\.declaration)
        case .enumeration, .union: continue
        }
        for declaration in declarations where declaration.isUndocumented {
          findings.report(
            "the field has no doc comment", at: declaration.nameRange, advice: "say what it holds, with `///`")
        }
      }
      for method in file.file.services.flatMap({ subject.schema[$0].methods }) where method.declaration.isUndocumented {
        findings.report(
          "the method has no doc comment", at: method.declaration.nameRange, advice: "say what it does, with `///`")
      }
    }
  }

  static let enumValueDoc = LintRule(
    id: "enum-value-doc", group: .docs, isOn: false,
    summary: "an enum's value without a doc comment",
    explanation: """
      A doc comment (`///`) on each value says when it is the right one.
      """,
    reported: Example("enum State: byte { Draft, Sent }\n"),
    allowed: Example(
      "enum State: byte {\n  /// Only its author sees it.\n  Draft,\n  /// It is on its way.\n  Sent\n}\n")
  ) { subject, findings in
    for (definition, _) in subject.enums {
      for value in definition.names where value.declaration.isUndocumented {
        findings.report(
          "`\(value.name)` has no doc comment", at: value.declaration.nameRange,
          advice: "say when it is the right one, with `///`")
      }
    }
  }

  static let deprecatedReason = LintRule(
    id: "deprecated-reason", group: .docs, isOn: false,
    summary: "a deprecated field without a comment that says why",
    explanation: """
      A deprecated field stays in the schema for ever, since its slot must not be used again. A comment above it or at the end \
      of its line, of whatever kind, tells the next reader what to use instead, and since when.
      """,
    reported: Example("table Post {\n  title: string;\n  likes: int (deprecated);\n}\n"),
    allowed: Example(
      "table Post {\n  title: string;\n  // 32 bits were too few: see like_count.\n  likes: int (deprecated);\n}\n")
  ) { subject, findings in
    for file in subject.files {
      var lines: FileLines?
      for case .table(let id) in file.file.definitions {
        for field in subject.schema[id].fields where field.isDeprecated && field.declaration.isUndocumented {
          let found = lines ?? FileLines(file.source.bytes)
          lines = found
          guard !found.hasComment(onOrAboveLineOf: field.declaration.nameRange.start) else { continue }
          findings.report(
            "`\(field.name)` is deprecated, and no comment says why", at: field.declaration.nameRange,
            advice: "say what to use instead")
        }
      }
    }
  }
}

extension Declaration {
  /// Whether the declaration has no doc comment, or one without a word.
  fileprivate var isUndocumented: Bool { !documentation.contains { $0.contains { !$0.isWhitespace } } }
}

extension FileLines {
  /// Returns whether a comment is at the end of the offset's line, or on the line above.
  fileprivate func hasComment(onOrAboveLineOf offset: Int) -> Bool {
    let line = table.line(of: offset)
    let own = table.range(ofLine: line, in: bytes)
    // Searched from the field on: before it may be another field, with slashes in a string.
    if contains("//", in: offset..<own.upperBound) || contains("/*", in: offset..<own.upperBound) { return true }
    guard line > 0 else { return false }
    let start = table.starts[line - 1]
    let end = blankStart(ofLine: line - 1)
    let text = bytes[start..<end].drop { $0 == Self.blank || $0 == Self.tab }
    return text.starts(with: "//".utf8) || text.starts(with: "/*".utf8) || text.suffix(2).elementsEqual("*/".utf8)
  }

  private func contains(_ text: String, in range: Range<Int>) -> Bool {
    let (first, second) = (text.utf8.first, text.utf8.last)
    return zip(bytes[range], bytes[range].dropFirst()).contains { $0 == first && $1 == second }
  }
}
