import Foundation
import TestSupport
import Testing

/// The commands of Examples/ci/schemas.yml, as they stand there, in a repository of git.
@Suite("The workflow for GitHub")
struct WorkflowTests {
  private let schema = "table Post { title: string (primary); likes: int; }\nroot_type Post;\n"

  /// The commands of the workflow that run dflatc.
  private func commands() throws -> [String] {
    let file = packageFolder.appendingPathComponent("Examples/ci/schemas.yml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let job = try #require(WorkflowJob.all(in: text)["check"])
    return job.steps.compactMap(\.run)
      .filter { $0.contains(/dflatc [a-z]/) }
      .map { "export GITHUB_BASE_REF=base; " + $0 }
  }

  /// Makes a repository with a schema and, if `hasSwift`, its Swift on the branch `base`, and changes the schema to `text`.
  private func run(
    changingTo text: String, generating: Bool, hasSwift: Bool = true
  ) throws -> [(isSuccess: Bool, text: String)] {
    try withTemporaryFolder { folder in
      let shell = Shell(folder: folder)
      func run(_ command: String) throws {
        let result = try shell.run(command)
        try #require(result.isSuccess, "\(result.text)")
      }
      try folder.write(schema, to: "Schemas/post.fbs")
      if hasSwift { try run("dflatc compile -o Sources/App/Generated Schemas") }
      try run("git init -q && git add . && git commit -qm A")
      try run("git update-ref refs/remotes/origin/base HEAD")
      try folder.write(text, to: "Schemas/post.fbs")
      if generating { try run("dflatc compile -o Sources/App/Generated Schemas") }
      try run("git add . && git commit -qm B --allow-empty")
      return try commands().map(shell.run)
    }
  }

  @Test("A pull request with a compatible schema and its generated Swift passes")
  func aPullRequestThatIsRightPasses() throws {
    let longer = schema.replacing("likes: int;", with: "likes: int; more: int;")
    let results = try run(changingTo: longer, generating: true)
    #expect(results.count == 4)
    for result in results { #expect(result.isSuccess, "\(result.text)") }
  }

  @Test("A schema that breaks stored data fails the check at its line")
  func aSchemaThatBreaksDataFailsAtItsLine() throws {
    let results = try run(changingTo: schema.replacing("likes: int", with: "likes: long"), generating: true)
    #expect(results.map(\.isSuccess) == [true, true, false, true])
    #expect(results[2].text.contains("::error file=Schemas/post.fbs,line=1"), "\(results[2].text)")
  }

  @Test("A schema that breaks a style rule fails the linter at its line")
  func aSchemaThatBreaksRulesOfStyleFailsAtItsLine() throws {
    let results = try run(
      changingTo: schema.replacing("likes: int;", with: "likes: int; moreLikes: int;"), generating: true)
    #expect(results.map(\.isSuccess) == [true, false, true, true])
    #expect(results[1].text.contains("::warning file=Schemas/post.fbs,line=1"), "\(results[1].text)")
  }

  @Test("A pull request whose generated Swift is out of date fails")
  func swiftThatIsNotThatOfItsSchemaFails() throws {
    let longer = schema.replacing("likes: int;", with: "likes: int; more: int;")
    let results = try run(changingTo: longer, generating: false)
    #expect(results.map(\.isSuccess) == [false, true, true, true])
  }

  @Test("In a repository without Swift, the workflow lints and compares the schemas")
  func aRepositoryWithoutSwift() throws {
    let longer = schema.replacing("likes: int;", with: "likes: int; more: int;")
    let right = try run(changingTo: longer, generating: false, hasSwift: false)
    #expect(right.count == 4)
    for result in right { #expect(result.isSuccess, "\(result.text)") }
    let wider = schema.replacing("likes: int", with: "likes: long")
    let wrong = try run(changingTo: wider, generating: false, hasSwift: false)
    #expect(wrong.map(\.isSuccess) == [true, true, false, true])
  }
}
