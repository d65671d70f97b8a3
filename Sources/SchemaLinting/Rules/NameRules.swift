import FBSDiagnostics
import FBSParser
import FBSSchema

extension LintRule {
  /// The rules for names.
  static let nameRules: [LintRule] = [typeCase, fieldCase, enumValueCase, methodCase, namespaceCase, fileNameCase]

  static let typeCase = LintRule(
    id: "type-case", group: .names, isOn: true,
    summary: "a type whose name is not in UpperCamelCase",
    explanation: """
      Tables, structs, enums, unions and services are types in Swift, as in every other language, and begin with a capital \
      there. Acronyms may stay as they are: `HTTPHeader`, `UUID`.

      A root table's name is that of its table in the store. If the schema has been released, `dflatc check` tells what a \
      new name would do; leave a comment that allows the old one.
      """,
    reported: Example("table blog_post { title: string; }\n"),
    allowed: Example("table BlogPost { title: string; }\n")
  ) { subject, findings in
    for file in subject.files {
      for definition in file.file.definitions {
        let name = subject.schema.name(of: definition).name
        guard !NameStyle.upperCamel.accepts(name) else { continue }
        findings.report(
          "`\(name)` is \(definition.kindName), and is not written in UpperCamelCase",
          at: subject.schema.declaration(of: definition).nameRange,
          advice: NameAdvice.rename(name, in: .upperCamel))
      }
      for id in file.file.services {
        let service = subject.schema[id]
        guard !NameStyle.upperCamel.accepts(service.name.name) else { continue }
        findings.report(
          "`\(service.name.name)` is a service, and is not written in UpperCamelCase",
          at: service.declaration.nameRange,
          advice: NameAdvice.rename(service.name.name, in: .upperCamel))
      }
    }
  }

  static let fieldCase = LintRule(
    id: "field-case", group: .names, isOn: true,
    summary: "a field whose name is not in snake_case",
    explanation: """
      FlatBuffers' style guide writes fields in snake_case, and generators turn that into what their languages expect: the \
      property of `like_count` is `likeCount` in Swift. Fields that are deprecated may be called whatever they were.

      A team that writes fields in camel case sets `"fieldCase": "camel"` beside the rules: the rule then asks for that.
      """,
    reported: Example("table Post { likeCount: int; }\n"),
    allowed: Example("table Post { like_count: int; }\n")
  ) { subject, findings in
    for file in subject.files {
      let isCamel = subject.configuration(file.file.id).fieldCase == .camel
      let style: NameStyle = isCamel ? .lowerCamel : .lowerSnake
      let styleName = isCamel ? "lowerCamelCase" : "snake_case"
      for definition in file.file.definitions {
        let fields: [(name: String, range: SourceRange)]
        switch definition {
        case .table(let id):
          let all = subject.schema[id].fields
          // By the index, since to copy a field counts references. Most tables end here, after each key stroke.
          if all.indices.allSatisfy({ all[$0].isDeprecated || style.accepts(all[$0].name) }) { continue }
          fields = all.filter { !$0.isDeprecated }.map { ($0.name, $0.declaration.nameRange) }
        case .structure(let id):
          fields = subject.schema[id].fields.map { ($0.name, $0.declaration.nameRange) }
        case .enumeration, .union: continue
        }
        let wrong = fields.filter { !style.accepts($0.name) }
        guard !wrong.isEmpty else { continue }
        let taken = Set(fields.map(\.name))
        for (name, range) in wrong {
          findings.report(
            "the field `\(name)` is not written in \(styleName)", at: range,
            advice: NameAdvice.rename(name, in: style, taken: taken))
        }
      }
    }
  }

  static let enumValueCase = LintRule(
    id: "enum-value-case", group: .names, isOn: true,
    summary: "an enum's value, or a union's alias, that is not written like the others",
    explanation: """
      FlatBuffers' style guide writes the values of enums in UpperCamelCase. Many schemas write them in UPPER_SNAKE_CASE, and \
      that is as well: but one enum has one style, and neither has values that begin with a small letter. The same holds for \
      the aliases of a union's members.
      """,
    reported: Example("enum Color: byte { red, DarkBlue, LIGHT_GREEN }\n"),
    allowed: Example("enum Color: byte { Red, DarkBlue, LightGreen }\n")
  ) { subject, findings in
    for file in subject.files {
      for definition in file.file.definitions {
        let values: [(name: String, range: SourceRange)]
        switch definition {
        case .enumeration(let id):
          values = subject.schema[id].names.map { ($0.name, $0.declaration.nameRange) }
        case .union(let id):
          // A member without an alias has the name of its type.
          values = subject.schema[id].members.filter { $0.declaration.typeRange != nil }
            .map { ($0.name, $0.declaration.nameRange) }
        case .structure, .table: continue
        }
        // A single word in capitals fits either style.
        let isUpperSnake = !values.isEmpty && values.allSatisfy { NameStyle.upperSnake.accepts($0.name) }
        guard !isUpperSnake else { continue }
        let wrong = values.filter { !NameStyle.upperCamel.accepts($0.name) }
        guard !wrong.isEmpty else { continue }
        let taken = Set(values.map(\.name))
        for (name, range) in wrong {
          findings.report(
            NameStyle.upperSnake.accepts(name)
              ? "`\(name)` is written in UPPER_SNAKE_CASE, and others here are not"
              : "`\(name)` is written neither in UpperCamelCase nor in UPPER_SNAKE_CASE",
            at: range, advice: NameAdvice.rename(name, in: .upperCamel, taken: taken))
        }
      }
    }
  }

  static let methodCase = LintRule(
    id: "method-case", group: .names, isOn: true,
    summary: "a service's method whose name is not in UpperCamelCase",
    explanation: """
      FlatBuffers' style guide writes the methods of services in UpperCamelCase, as gRPC does: the name is a part of the path \
      by which the method is called.
      """,
    reported: Example("table Post {}\nrpc_service Posts { get_post(Post): Post; }\n"),
    allowed: Example("table Post {}\nrpc_service Posts { GetPost(Post): Post; }\n")
  ) { subject, findings in
    for file in subject.files {
      for service in file.file.services.map({ subject.schema[$0] }) {
        let wrong = service.methods.filter { !NameStyle.upperCamel.accepts($0.name) }
        guard !wrong.isEmpty else { continue }
        let taken = Set(service.methods.map(\.name))
        for method in wrong {
          findings.report(
            "the method `\(method.name)` is not written in UpperCamelCase", at: method.declaration.nameRange,
            advice: NameAdvice.rename(method.name, in: .upperCamel, taken: taken))
        }
      }
    }
  }

  static let namespaceCase = LintRule(
    id: "namespace-case", group: .names, isOn: true,
    summary: "a namespace that is written neither in UpperCamelCase nor in small letters",
    explanation: """
      Namespaces are enums around the types in Swift, and are written in UpperCamelCase in FlatBuffers' style guide. Those \
      that come from a domain name are in small letters, as in `org.example.blog`, and that is as well. Each part of a \
      namespace has one of the two styles.
      """,
    reported: Example("namespace My_App.blogPosts;\ntable Post { title: string; }\n"),
    allowed: Example("namespace MyApp.BlogPosts;\ntable Post { title: string; }\n")
  ) { subject, findings in
    for file in subject.files {
      for case .namespace(let name?) in file.tree.items {
        for token in name.components {
          let text = file.tree.text(of: token)
          guard !NameStyle.upperCamel.accepts(text), !NameStyle.lowerSnake.accepts(text) else { continue }
          findings.report(
            "the namespace `\(text)` is written neither in UpperCamelCase nor in small letters",
            at: file.tree.range(of: token), advice: NameAdvice.rename(text, in: .upperCamel))
        }
      }
    }
  }

  static let fileNameCase = LintRule(
    id: "file-name-case", group: .names, isOn: false,
    summary: "a schema file whose name is not in snake_case",
    explanation: """
      One style of file names keeps includes free of surprises: file systems differ in whether letter case matters, and an \
      include that works on one machine is not found on another. The finding stands at the first declaration, since there is \
      no line that has the file's name.
      """,
    reported: Example("table Post { title: string; }\n", path: "BlogPost.fbs"),
    allowed: Example("table Post { title: string; }\n", path: "blog_post.fbs")
  ) { subject, findings in
    for file in subject.files {
      let base = String(file.source.path.split(separator: "/").last ?? "")
      let parts = base.split(separator: ".", omittingEmptySubsequences: false)
      // Standard input without a name has none.
      guard parts.count > 1, parts.last == "fbs" else { continue }
      let name = parts.dropLast().joined(separator: ".")
      let isPlain = name.utf8.allSatisfy { $0.isLower || $0.isDigit || $0 == UInt8(ascii: "_") }
      guard !isPlain || !NameStyle.lowerSnake.accepts(name) else { continue }
      let renamed = NameStyle.lowerSnake.written(name)
      findings.report(
        "the file is called `\(base)`, which is not in snake_case", at: file.tree.range(of: 0),
        advice: renamed.isEmpty || renamed == name ? "rename the file" : "call the file `\(renamed).fbs`")
    }
  }
}
