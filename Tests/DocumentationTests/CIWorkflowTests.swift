import Foundation
import TestSupport
import Testing

/// `.github/workflows/ci.yml`, which no test can run: it needs GitHub's machines.
@Suite("The workflow of this repository")
struct CIWorkflowTests {
  private let jobs: [String: WorkflowJob]

  init() throws {
    jobs = WorkflowJob.all(in: try Self.text(".github/workflows/ci.yml"))
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
  }

  /// The targets of the Makefile that `make help` lists.
  private static func targets() throws -> Set<String> {
    Set(try text("Makefile").matches(of: /^([a-z-]+):.*##\s/.anchorsMatchLineEndings()).map { String($0.1) })
  }

  private func commands(_ job: String) throws -> [String] {
    try #require(jobs[job]).steps.compactMap(\.run).flatMap { $0.split(separator: "\n").map(String.init) }
  }

  @Test("The workflow tests on Linux and macOS, and builds for the simulator")
  func itTestsOnLinuxAndMacOSAndBuildsForTheSimulator() throws {
    #expect(jobs.keys.sorted() == ["ios", "linux", "macos"])
    #expect(jobs["linux"]?.system.hasPrefix("ubuntu") == true)
    #expect(jobs["macos"]?.system.hasPrefix("macos-") == true)
    #expect(jobs["ios"]?.system.hasPrefix("macos-") == true)
    #expect(try commands("linux").suffix(3) == ["make lint", "make test", "make packages"])
    #expect(try commands("macos").suffix(2) == ["make test", "make packages"])
    #expect(try commands("ios").last == "make ios")
  }

  /// What builds and tests is in the Makefile, so that it can be run without the workflow.
  @Test("Every build command of the workflow is a target of the Makefile")
  func whatItBuildsIsATargetOfTheMakefile() throws {
    let targets = try Self.targets()
    #expect(targets.isSuperset(of: ["run", "test", "lint"]))
    for command in try jobs.keys.flatMap(commands) {
      let words = command.split(separator: " ").map(String.init)
      #expect(!["swift", "xcodebuild"].contains(words[0]), "\(command)")
      guard words[0] == "make" else { continue }
      #expect(words.count == 2 && targets.contains(words[1]), "\(command)")
    }
  }

  @Test("Every step uses a versioned action or runs a command that bash can parse")
  func everyStepUsesAnActionOfAVersionOrRunsACommandThatTheShellCanRead() throws {
    for (name, job) in jobs {
      #expect(job.steps.first?.uses?.hasPrefix("actions/checkout@v") == true, "\(name)")
      for step in job.steps {
        #expect((step.uses == nil) != (step.run == nil), "\(name): \(step)")
        if let action = step.uses { #expect(action.contains(/^[\w-]+\/[\w-]+@v\d+$/), "\(action)") }
        guard let run = step.run else { continue }
        let result = try withTemporaryFolder { folder in
          try folder.write(run, to: "step.sh")
          return try Shell(folder: folder).run("bash -n step.sh")
        }
        #expect(result.isSuccess, "\(name): \(result.text)")
      }
    }
  }

  @Test("The token of a run has read permission only")
  func theTokenOfARunMayOnlyRead() throws {
    let text = try Self.text(".github/workflows/ci.yml")
    #expect(text.contains("\npermissions:\n  contents: read\n"))
    #expect(text.matches(of: /permissions:/).count == 1)
  }

  @Test("WorkflowJob reads jobs with their systems, actions and commands")
  func jobsAreReadWithTheirSteps() {
    let jobs = WorkflowJob.all(
      in: """
        name: A
        jobs:
          first:
            runs-on: b
            steps:
              - uses: c/d@v1
              - name: E
                # f
                run: g
              - run: |
                  h
                  i
        env:
          j: k
        """)
    #expect(jobs.keys.sorted() == ["first"])
    #expect(jobs["first"]?.system == "b")
    #expect(jobs["first"]?.steps.map(\.uses) == ["c/d@v1", nil, nil])
    #expect(jobs["first"]?.steps.map(\.run) == [nil, "g", "h\ni"])
  }
}
