import FBSDiagnostics
import FBSSchema

extension LintRule {
  /// The rules for the values of enums.
  static let enumRules: [LintRule] = [enumZero, enumZeroMeaning, countedAlias]

  static let enumZero = LintRule(
    id: "enum-zero", group: .enums, isOn: true,
    summary: "an enum without a value for 0",
    explanation: """
      A field of an enum that has no default written is 0 where an object does not hold it. If no value is called so, every \
      field needs a default of its own or has to be optional, and code that reads an older object meets a number without a \
      name.

      Give 0 to what stands for "not known", or to the most usual value. Sets of flags (`bit_flags`) need none: in them 0 is \
      the empty set.
      """,
    reported: Example("enum Color: byte { Red = 1, Green = 2 }\n"),
    allowed: Example("enum Color: byte { Unknown = 0, Red = 1, Green = 2 }\n")
  ) { subject, findings in
    for (definition, _) in subject.enums where !definition.isBitFlags {
      guard !definition.values.contains(where: { $0.number == 0 }) else { continue }
      findings.report(
        "`\(definition.name.name)` has no value for 0", at: definition.declaration.nameRange,
        advice: "add one, such as `Unknown = 0`")
    }
  }

  static let enumZeroMeaning = LintRule(
    id: "enum-zero-meaning", group: .enums, isOn: false,
    summary: "an enum whose value for 0 does not say that nothing is known",
    explanation: """
      0 is what a reader gets where nothing was written. If that value has a meaning of its own, such as `Red`, nobody can \
      tell a red object from one of unknown colour. The value for 0 is to be called, or to end in, `Unknown`, `None`, \
      `Unspecified`, `Undefined`, `Invalid` or `Default`.
      """,
    reported: Example("enum Color: byte { Red, Green }\n"),
    allowed: Example("enum Color: byte { Unknown, Red, Green }\n")
  ) { subject, findings in
    for (definition, _) in subject.enums where !definition.isBitFlags {
      guard let zero = definition.values.first(where: { $0.number == 0 }) else { continue }
      let last = NameStyle.words(of: zero.name).last?.lowercased() ?? ""
      guard !["unknown", "none", "unspecified", "undefined", "invalid", "default"].contains(last) else { continue }
      findings.report(
        "`\(zero.name)` is 0, which is also what is read where nothing was written", at: zero.declaration.nameRange,
        advice: "give 0 to a value such as `Unknown`")
    }
  }
}

extension LintRule {
  static let countedAlias = LintRule(
    id: "counted-alias", group: .enums, isOn: true,
    summary: "an enum's value that has the number of another by counting on",
    explanation: """
      A value with the number of an earlier one is another name for it. A number that is not written is one more than that of \
      the value before: if it is taken, this is more often a slip than meant. Both names are then stored, and read, as one \
      value.

      Write the number of another name out, and give any other value a number of its own.
      """,
    reported: Example("enum Color: byte { Unknown, Red = 2, Green = 1, Blue }\n"),
    allowed: Example("enum Color: byte { Unknown, Green, Red, Blue, Rouge = 2 }\n")
  ) { subject, findings in
    for (definition, _) in subject.enums {
      let names = Dictionary(definition.values.map { ($0.number, $0.name) }) { first, _ in first }
      for alias in definition.aliases where alias.declaration.valueRange == nil {
        guard let name = names[alias.number] else { continue }
        let number = definition.written(alias.number)
        findings.report(
          "`\(alias.name)` has the number of `\(name)`, \(number)", at: alias.declaration.nameRange,
          advice: "give it another number, or write `\(alias.name) = \(number)`")
      }
    }
  }
}

extension LintSubject {
  /// The enums of the files that are linted.
  var enums: [(EnumDefinition, File)] {
    files.flatMap { file in
      file.file.definitions.compactMap { definition in
        guard case .enumeration(let id) = definition else { return nil }
        return (schema[id], file)
      }
    }
  }

  /// The tables of the files that are linted.
  var tables: [(id: TableID, table: TableDefinition, file: File)] {
    files.flatMap { file in
      file.file.definitions.compactMap { definition in
        guard case .table(let id) = definition else { return nil }
        return (id, schema[id], file)
      }
    }
  }
}
