import FBSDiagnostics
import FBSParser
import FBSSchema

extension LintRule {
  /// The rules for includes, and for uses of types.
  static let useRules: [LintRule] = [unusedInclude, duplicateInclude, unusedType]

  static let unusedInclude = LintRule(
    id: "unused-include", group: .uses, isOn: true,
    summary: "an include of which nothing is used",
    explanation: """
      An include makes a file depend on another: that has to be found, compiled and reviewed with it. If neither the file \
      itself nor one that is linted with it and includes it uses a type or attribute of what the include reaches, it can go.

      A file that only includes others, to give them one name, is left alone. With `--gen-all`, so is an include without which \
      a file would not be linted or compiled, and what any file uses that is linted with it counts.
      """,
    reported: Example(
      "include \"color.fbs\";\ntable Post { title: string; }\n",
      beside: ["color.fbs": "enum Color: byte { Red, Green }\n"]),
    allowed: Example(
      "include \"color.fbs\";\ntable Post { title: string; color: Color; }\n",
      beside: ["color.fbs": "enum Color: byte { Red, Green }\n"])
  ) { subject, findings in
    guard subject.files.contains(where: { !$0.file.inclusions.isEmpty }) else { return }
    let uses = SchemaUses(subject.schema, subject.sources)
    let includers = uses.includers
    // If an entry file stands for all that it includes, a file may use things that only the entry file includes.
    let isWhole = subject.schema.files.contains { $0.isInput && !$0.isEntry }
    var unused: [(file: LintSubject.File, inclusion: SchemaFile.Inclusion)] = []
    for file in subject.files {
      let own = uses.filesUsed[file.file.id.index]
      let isCollection =
        file.file.definitions.isEmpty && file.file.services.isEmpty && file.file.rootTable == nil
      guard !isCollection, file.file.includes.contains(where: { !own.contains($0) }) else { continue }
      // A file's includes are also available to those that include it.
      let above = uses.filesReaching([file.file.id], includers: includers)
      let users = isWhole ? uses.filesReached(from: above) : above
      let used = users.reduce(into: Set<FileID>()) { $0.formUnion(uses.filesUsed[$1.index]) }
      // The file itself and its includers reach its includes anyway: a cycle is no use.
      let reaching = uses.filesReaching(used.subtracting([file.file.id]), includers: includers)
      var seen: Set<FileID> = []
      for inclusion in file.file.inclusions where seen.insert(inclusion.file).inserted {
        guard !reaching.contains(inclusion.file), inclusion.file != file.file.id else { continue }
        unused.append((file, inclusion))
      }
    }
    if isWhole {
      // No file may be lost, even if all that is reported is removed.
      let left = Set(unused.map(\.inclusion))
      var kept = uses.filesReached(from: Set(subject.schema.files.filter(\.isEntry).map(\.id)), without: left)
      unused.removeAll { _, inclusion in
        guard !kept.contains(inclusion.file) else { return false }
        kept.formUnion(uses.filesReached(from: [inclusion.file], without: left))
        return true
      }
    }
    for (file, inclusion) in unused {
      findings.report(
        "nothing of \(subject.schema[inclusion.file].shownPath) is used", at: inclusion.range,
        advice: "remove the include",
        fixes: [file.removal(ofIncludeAt: inclusion.range)])
    }
  }

  static let duplicateInclude = LintRule(
    id: "duplicate-include", group: .uses, isOn: true,
    summary: "a file that is included twice, or that includes itself",
    explanation: """
      The second include of a file changes nothing, and nor does that of the file itself. Two paths may lead to one file.
      """,
    reported: Example(
      "include \"color.fbs\";\ninclude \"./color.fbs\";\ntable Post { color: Color; }\n",
      beside: ["color.fbs": "enum Color: byte { Red, Green }\n"]),
    allowed: Example(
      "include \"color.fbs\";\ntable Post { color: Color; }\n",
      beside: ["color.fbs": "enum Color: byte { Red, Green }\n"])
  ) { subject, findings in
    for file in subject.files {
      var known: [FileID: SourceRange] = [:]
      for inclusion in file.file.inclusions {
        if inclusion.file == file.file.id {
          findings.report(
            "the file includes itself", at: inclusion.range, advice: "remove the include",
            fixes: [file.removal(ofIncludeAt: inclusion.range)])
        } else if let first = known[inclusion.file] {
          findings.report(
            "\(subject.schema[inclusion.file].shownPath) is included already", at: inclusion.range,
            advice: "remove the include",
            labels: [.init(first, "included here before")], fixes: [file.removal(ofIncludeAt: inclusion.range)])
        } else {
          known[inclusion.file] = inclusion.range
        }
      }
    }
  }

  static let unusedType = LintRule(
    id: "unused-type", group: .uses, isOn: false,
    summary: "a type to which no root type and no service leads",
    explanation: """
      A type that no root type, no service and no nested FlatBuffer leads to is in no object that is stored or sent. Fields \
      that are deprecated count as uses, since the schema needs their types.

      The rule looks at what is linted together: name all schemas of an app in one run. It says nothing if none of them has a \
      root type or a service.
      """,
    reported: Example("table Post { title: string; }\ntable Draft { title: string; }\nroot_type Post;\n"),
    allowed: Example(
      "table Post { title: string; draft: Draft; }\ntable Draft { title: string; }\nroot_type Post;\n")
  ) { subject, findings in
    let schema = subject.schema
    let methods = schema.services.flatMap(\.methods)
    let roots = schema.files.compactMap(\.rootTable) + methods.flatMap { [$0.request, $0.response] }
    guard !roots.isEmpty else { return }
    let reached = SchemaUses(schema, subject.sources).types(reachedFrom: roots.map { .table($0) })
    for file in subject.files {
      for definition in file.file.definitions where !reached.contains(definition) {
        findings.report(
          "no root type and no service leads to `\(schema.name(of: definition).name)`",
          at: schema.declaration(of: definition).nameRange,
          advice: "remove it, or use it")
      }
    }
  }
}

extension LintSubject.File {
  /// Returns the fix that removes an include.
  fileprivate func removal(ofIncludeAt path: SourceRange) -> Diagnostic.Fix {
    // A valid file has a keyword before the path, and a semicolon after it.
    let index = tree.tokens.firstIndex(startingAtOrAfter: path.start)
    return .remove("include", at: tree.removal(ofStatement: TokenSpan(index - 1, index + 1)))
  }
}
