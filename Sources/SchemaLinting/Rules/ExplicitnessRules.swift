import FBSDiagnostics
import FBSParser
import FBSSchema

extension LintRule {
  /// The rules for what a schema should state explicitly.
  static let explicitnessRules: [LintRule] = [explicitIDs, explicitEnumValues, namespaceMissing, severalNamespaces]

  static let explicitIDs = LintRule(
    id: "explicit-ids", group: .explicit, isOn: false,
    summary: "a table whose fields have no ids",
    explanation: """
      Without ids, the order of the text numbers the fields, and a field that is moved or inserted changes what stored bytes \
      mean. With `(id: n)` on every field, the text may have whatever order reads well, and a reviewer sees that no number is \
      used twice. A table in which only some fields have ids is an error of its own.

      There is one finding for a table. Write the ids that the fields have now, from 0 on: `dflatc check` then reports nothing. \
      A union takes two numbers, and its id is the second. `dflatc lint --fix` writes them.
      """,
    reported: Example("table Post { title: string; likes: int; }\n"),
    allowed: Example("table Post { title: string (id: 0); likes: int (id: 1); }\n")
  ) { subject, findings in
    for (_, table, file) in subject.tables {
      guard let first = table.fields.first, !first.declaration.has("id") else { continue }
      let edits = table.fields.compactMap { file.insertion(ofIDOf: $0) }
      findings.report(
        "the fields of `\(table.name.name)` have no ids", at: table.declaration.nameRange,
        advice: "write them out, from `(id: \(first.id))` on",
        fixes: edits.count == table.fields.count ? [.init("Write the ids out", edits)] : [])
    }
  }

  static let explicitEnumValues = LintRule(
    id: "explicit-enum-values", group: .explicit, isOn: false,
    summary: "an enum's value whose number is not written",
    explanation: """
      Numbers are what is stored. If they are counted from the order of the text, a value that is inserted changes those after \
      it: a number that is written stays what it is. There is one finding for an enum, at the first such value. In sets of \
      flags (`bit_flags`) the number to write is that of the bit. `dflatc lint --fix` writes them, except one that \
      `counted-alias` reports: somebody has to tell whether it is meant.
      """,
    reported: Example("enum Color: byte { Red, Green, Blue }\n"),
    allowed: Example("enum Color: byte { Red = 0, Green = 1, Blue = 2 }\n")
  ) { subject, findings in
    for (definition, file) in subject.enums {
      let values = definition.names.filter { $0.declaration.valueRange == nil }
      guard let first = values.first else { continue }
      // Once its number is written, an alias looks as if it were meant, and is not found any more.
      let findsAliases = subject.configuration(file.file.id).severity(of: LintRule.countedAlias) != nil
      let certain = findsAliases ? definition.values.filter { $0.declaration.valueRange == nil } : values
      let edits = certain.flatMap { value in
        Diagnostic.Fix.insert(" = \(definition.written(value.number))", after: value.declaration.nameRange).edits
      }
      findings.report(
        "the number of `\(first.name)` is not written", at: first.declaration.nameRange,
        advice: "write `\(first.name) = \(definition.written(first.number))`",
        fixes: edits.isEmpty ? [] : [.init("Write the numbers out", edits)])
    }
  }

  static let namespaceMissing = LintRule(
    id: "namespace-missing", group: .explicit, isOn: false,
    summary: "a definition outside of any namespace",
    explanation: """
      Types in no namespace are at the top level in Swift, where those of other schemas and modules are as well. There is one \
      finding for a file.
      """,
    reported: Example("table Post { title: string; }\n"),
    allowed: Example("namespace Blog;\ntable Post { title: string; }\n")
  ) { subject, findings in
    for file in subject.files {
      guard
        let first = file.file.definitions.first(where: { subject.schema.name(of: $0).namespace.isEmpty })
      else { continue }
      findings.report(
        "`\(subject.schema.name(of: first).name)` is in no namespace",
        at: subject.schema.declaration(of: first).nameRange,
        advice: "write `namespace NAME;` above it")
    }
  }

  static let severalNamespaces = LintRule(
    id: "several-namespaces", group: .explicit, isOn: false,
    summary: "a file with more than one namespace",
    explanation: """
      A file with one namespace can be found by the names in it, and be moved as a whole. A namespace that is said again is \
      not counted again.
      """,
    reported: Example("namespace Blog;\ntable Post {}\nnamespace Shop;\ntable Item {}\n"),
    allowed: Example("namespace Blog;\ntable Post {}\n")
  ) { subject, findings in
    for file in subject.files {
      var first: (text: String, range: SourceRange)?
      for case .namespace(let name?) in file.tree.items {
        let text = name.components.map { file.tree.text(of: $0) }.joined(separator: ".")
        guard let known = first else {
          first = (text, file.tree.range(of: name))
          continue
        }
        guard known.text != text else { continue }
        findings.report(
          "the file has a second namespace, `\(text)`", at: file.tree.range(of: name),
          advice: "move what follows to a file of its own", labels: [.init(known.range, "the first one")])
        break
      }
    }
  }
}

extension EnumDefinition {
  /// Returns a number as the schema spells it: for bit flags, the number of the bit.
  func written(_ number: Int64) -> String {
    let bits = UInt64(bitPattern: number)
    if isBitFlags { return String(bits.trailingZeroBitCount) }
    return underlyingType == .uint64 ? String(bits) : String(number)
  }
}

extension LintSubject.File {
  /// Returns the edit that writes the id of a field, before its attributes or else at its end; nil if the field has
  /// empty parentheses.
  fileprivate func insertion(ofIDOf field: FieldDefinition) -> Diagnostic.Edit? {
    if let first = field.declaration.attributes.map(\.range.start).min() {
      return .init(range(first, first), "id: \(field.id), ")
    }
    var index = tree.tokens.firstIndex(startingAtOrAfter: field.declaration.nameRange.end)
    while index < tree.tokens.count, tree.tokens[index].kind != .semicolon { index += 1 }
    guard index < tree.tokens.count, tree.tokens[index - 1].kind != .rightParenthesis else { return nil }
    let end = Int(tree.tokens[index - 1].end)
    return .init(range(end, end), " (id: \(field.id))")
  }
}
