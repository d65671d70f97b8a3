import Foundation
import TestSupport
import Testing

/// What people without Swift install, as far as it can be read: Scripts/test-distribution.sh installs it.
@Suite("The packages, the hooks and the action")
struct DistributionTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
  }

  @Test("The package, the action, the example and the pages name the version of dflatc")
  func allNameTheVersionOfDflatc() throws {
    let source = try text("Sources/Emitters/Emitter.swift")
    let version = try #require(source.firstMatch(of: /static let current = "([\d.]+)"/)).1
    #expect(try text("pyproject.toml").contains("version = \"\(version)\""))
    #expect(try text("pyproject.toml").contains("dflatc==\(version)"))
    #expect(try text("action.yml").contains("default: \"\(version)\""))
    #expect(try text("Examples/ci/schemas.yml").contains("dflatc==\(version)"))
    #expect(try text("Documentation/schemas-in-git.md").contains("rev: \(version)"))
    #expect(try text("Documentation/installing.md").contains("dflatc-\(version)-py3-none-"))
  }

  @Test("The release workflow builds each package on each system, and bash can parse its steps")
  func theWorkflowOfAReleaseMakesEachPackageOnEachSystemAndItsStepsCanBeRead() throws {
    let jobs = WorkflowJob.all(in: try text(".github/workflows/release.yml"))
    #expect(jobs.keys.sorted() == ["linux", "macos", "publish", "release"])
    for name in ["linux", "macos"] {
      let commands = try #require(jobs[name]).steps.compactMap(\.run).joined(separator: "\n")
      #expect(commands.contains("make wheel npm BINARY="), "\(name)")
    }
    for (name, job) in jobs {
      for run in job.steps.compactMap(\.run) {
        let result = try withTemporaryFolder { folder in
          try folder.write(run, to: "step.sh")
          return try Shell(folder: folder).run("bash -n step.sh")
        }
        #expect(result.isSuccess, "\(name): \(result.text)")
      }
    }
  }

  @Test("The scripts that the container image and the formula call are in the repository")
  func theProgramsOfTheImageAndTheFormulaAreInTheRepository() throws {
    for (file, script) in [
      ("Containerfile", "Scripts/build-release.sh"), ("Scripts/distribution/dflatc.rb", "Makefile"),
    ] {
      #expect(
        !(try text(file)).isEmpty && FileManager.default.fileExists(atPath: packageFolder.appending(path: script).path))
    }
    #expect(try text("Containerfile").contains("Scripts/build-release.sh"))
    #expect(try text("Makefile").contains("Scripts/distribution/distribute.sh wheel"))
  }
}
