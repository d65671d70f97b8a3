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
    #expect(jobs.keys.sorted() == ["image", "linux", "macos", "publish", "release", "version"])
    for name in ["linux", "macos"] {
      let commands = try #require(jobs[name]).steps.compactMap(\.run).joined(separator: "\n")
      #expect(commands.contains("make -C Packaging wheel npm BINARY="), "\(name)")
    }
    let image = try #require(jobs["image"]).steps.compactMap(\.run).joined(separator: "\n")
    #expect(image.contains("docker build -f Containerfile ") && image.contains("docker save "))
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

  @Test("Nothing of a release is built unless its tag is the version of dflatc")
  func theTagOfAReleaseIsTheVersionOfDflatc() throws {
    let jobs = WorkflowJob.all(in: try text(".github/workflows/release.yml"))
    for name in ["linux", "macos", "image"] { #expect(jobs[name]?.needs == "version", "\(name)") }
    let step = try #require(jobs["version"]?.steps.compactMap(\.run).first)
    let source = try text("Sources/Emitters/Emitter.swift")
    let version = try #require(source.firstMatch(of: /static let current = "([\d.]+)"/)).1
    try withTemporaryFolder { folder in
      try folder.write(source, to: "Sources/Emitters/Emitter.swift")
      let shell = Shell(folder: folder)
      let right = try shell.run("GITHUB_REF_NAME=\(version)\n\(step)")
      #expect(right.isSuccess && right.text.isEmpty, "\(right.text)")
      for tag in ["9.9.9", "\(version).1", "v\(version)"] {
        let wrong = try shell.run("GITHUB_REF_NAME=\(tag)\n\(step)")
        #expect(!wrong.isSuccess && wrong.text.contains("dflatc has the version \(version)\n"), "\(wrong.text)")
      }
    }
  }

  @Test("A release has a formula for Homebrew that installs its tag, and is otherwise the one in the repository")
  func theFormulaOfAReleaseInstallsItsTag() throws {
    let jobs = WorkflowJob.all(in: try text(".github/workflows/release.yml"))
    let step = try #require(jobs["release"]?.steps.compactMap(\.run).first { $0.contains("formula.sh") })
    let formula = try withTemporaryFolder { folder in
      for name in ["formula.sh", "dflatc.rb"] {
        let path = "Packaging/" + name
        try folder.write(try text(path), to: path)
      }
      let result = try Shell(folder: folder).run(
        """
        mkdir dist; chmod +x Packaging/formula.sh
        GITHUB_SERVER_URL=https://github.com GITHUB_REPOSITORY=owner/dflat GITHUB_REF_NAME=0.1.0 GITHUB_SHA=a1b2c3d
        \(step)
        cat dist/dflatc.rb
        """)
      try #require(result.isSuccess, "\(result.text)")
      return result.text
    }
    let lines = formula.split(separator: "\n")
    let address = "https://github.com/owner/dflat"
    #expect(
      lines.contains("  url \"\(address).git\", tag: \"0.1.0\", revision: \"a1b2c3d\""), "\(formula)")
    #expect(lines.contains("  homepage \"\(address)\""), "\(formula)")
    #expect(!formula.contains("example.com") && !formula.contains("--HEAD"), "\(formula)")
    let common = try text("Packaging/dflatc.rb").split(separator: "\n").filter {
      !$0.contains("example.com") && !$0.hasPrefix("#")
    }
    #expect(lines.filter { !$0.contains("github.com") && !$0.hasPrefix("#") } == common)
  }

  @Test("A copy of the package for servers depends on dflat's repository once the command of its page has run")
  func theCopiedPackageDependsOnTheRepository() throws {
    let folderName = "Integrations/ServerObservability"
    let (readme, manifest) = (try text(folderName + "/README.md"), try text(folderName + "/Package.swift"))
    let command = try #require(readme.split(separator: "\n").first { $0.hasPrefix("sed ") })
    let copy = "Packages/ServerObservability/Package.swift"
    let changed = try withTemporaryFolder { folder in
      try folder.write(manifest, to: copy)
      let result = try Shell(folder: folder).run(String(command))
      try #require(result.isSuccess, "\(result.text)")
      return try String(contentsOf: folder.appending(path: copy), encoding: .utf8)
    }
    let source = try text("Sources/Emitters/Emitter.swift")
    let version = try #require(source.firstMatch(of: /static let current = "([\d.]+)"/)).1
    let dependency = ".package(url: \"https://github.com/OWNER/dflat\", from: \"\(version)\"),"
    #expect(changed.contains(dependency) && !changed.contains("path:"), "\(changed)")
    #expect(readme.contains("  \(dependency)\n"))
  }

  /// The commands of the step that compares, without their indentation.
  private func checkStep() throws -> String {
    let lines = try text("action.yml").split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "    - name: Check"))
    let run = try #require(lines[start...].firstIndex(of: "      run: |"))
    return lines[(run + 1)...].prefix { $0.hasPrefix("        ") }.map { $0.dropFirst(8) }.joined(separator: "\n")
  }

  /// Makes a repository whose `main` goes on after a branch has left it, and the clone of one commit that actions/checkout makes for the
  /// pull request of the branch. Runs the step of the action there. In the tag `v1`, the schema is in the folder `old`.
  private func runAction(branchSchema: String, against: String = "") throws -> (isSuccess: Bool, text: String) {
    try withTemporaryFolder { folder in
      let shell = Shell(folder: folder)
      let post = "table Post { title: string (primary); likes: int; }\nroot_type Post;\n"
      try folder.write(post, to: "origin/post.fbs")
      try folder.write(try checkStep(), to: "step.sh")
      try folder.write(branchSchema, to: "branch.fbs")
      try folder.write(post.replacing("int; }", with: "int; shares: string; }"), to: "main.fbs")
      let made = try shell.run(
        """
        set -e
        cd origin
        git init -q -b main && mkdir old && mv post.fbs old && git add . && git commit -qm V && git tag v1
        git mv old/post.fbs . && git commit -qm A
        git checkout -q -b feature && cp ../branch.fbs post.fbs && git commit -qam B --allow-empty
        git update-ref refs/pull/5/merge "$(git commit-tree -p main -p feature -m M 'feature^{tree}')"
        git checkout -q main && cp ../main.fbs post.fbs && git commit -qam C
        cd .. && git init -q clone && cd clone
        git remote add origin "file://$PWD/../origin"
        git fetch -q --no-tags --depth=1 origin +refs/pull/5/merge:refs/remotes/pull/5/merge
        git checkout -q --detach refs/remotes/pull/5/merge
        """)
      try #require(made.isSuccess, "\(made.text)")
      return try shell.run(
        "cd clone && GITHUB_BASE_REF=main SCHEMAS=. AGAINST=\"\(against)\" bash -e -o pipefail ../step.sh")
    }
  }

  @Test("In a shallow clone, the action compares a pull request with the commit where it left its base")
  func theActionComparesWithTheMergeBase() throws {
    let longer = "table Post { title: string (primary); likes: int; edits: int; }\nroot_type Post;\n"
    for against in ["", "merge-base", "merge-base:origin/main"] {
      let right = try runAction(branchSchema: longer, against: against)
      #expect(right.isSuccess, "\(against): \(right.text)")
    }
    let wider = longer.replacing("likes: int", with: "likes: long")
    let wrong = try runAction(branchSchema: wider)
    #expect(!wrong.isSuccess && wrong.text.contains("::error file=post.fbs,line=1"), "\(wrong.text)")
    // Beside the branch as it is, its new field is missing.
    let branch = try runAction(branchSchema: longer, against: "origin/main")
    #expect(!branch.isSuccess && branch.text.contains("::error file=post.fbs"), "\(branch.text)")
  }

  @Test(
    "In a shallow clone, the action fetches the branch, tag or commit that against names",
    arguments: [
      "main", "origin/main", "git:main", "git:origin/main:.", "v1", "git:v1:old", "$(git -C ../origin rev-parse v1)",
    ])
  func theActionFetchesWhatItComparesWith(against: String) throws {
    let wider = "table Post { title: string (primary); likes: long; }\nroot_type Post;\n"
    let result = try runAction(branchSchema: wider, against: against)
    #expect(!result.isSuccess && result.text.contains("::error file=post.fbs,line=1"), "\(result.text)")
    #expect(result.text.contains("`likes`"), "\(result.text)")
  }

  @Test("In a shallow clone, the action fetches what the merge base with a branch or tag needs")
  func theActionFindsTheMergeBaseWithANamedBranch() throws {
    // Beside main as it is now, the branch has lost a field.
    let longer = "table Post { title: string (primary); likes: int; edits: int; }\nroot_type Post;\n"
    for against in ["merge-base:main", "merge-base:main:.", "merge-base:v1:old"] {
      let result = try runAction(branchSchema: longer, against: against)
      #expect(result.isSuccess, "\(against): \(result.text)")
    }
  }

  @Test("The hook of dflatc check runs when a commit only deletes schemas, and lets a first commit pass")
  func theHookSeesDeletionsAndFirstCommits() throws {
    let hooks = try text(".pre-commit-hooks.yaml").components(separatedBy: "- id: ")
    let hook = try #require(hooks.first { $0.hasPrefix("dflatc-check\n") })
    #expect(hook.contains("\n  always_run: true\n") && !hook.contains("\n  files:"), "\(hook)")
    let entry = try #require(hook.firstMatch(of: /\n  entry: (.*)\n/)).1
    try withTemporaryFolder { folder in
      try folder.write("table Post { title: string (primary); }\nroot_type Post;\n", to: "schemas/post.fbs")
      try folder.write("table Note { text: string (primary); }\nroot_type Note;\n", to: "schemas/note.fbs")
      let shell = Shell(folder: folder)
      let first = try shell.run("git init -q; git add .; \(entry) schemas")
      #expect(first.isSuccess, "\(first.text)")
      let deletion = try shell.run("git commit -qm A; git rm -q schemas/note.fbs; \(entry) schemas")
      #expect(!deletion.isSuccess && deletion.text.contains("error[type-removed]"), "\(deletion.text)")
      // A commit that changes no schema is not looked at, even if the folder has none.
      let other = try shell.run("git reset -q --hard; \(entry) elsewhere")
      #expect(other.isSuccess, "\(other.text)")
    }
  }

  @Test("python -m dflatc runs the program that the installation of the package has recorded, wherever it is")
  func theModuleOfPythonFindsTheProgram() throws {
    try withTemporaryFolder { folder in
      // As `pip install --user` has it.
      try folder.write(try text("Packaging/main.py"), to: "lib/site-packages/dflatc/__main__.py")
      try folder.write("", to: "lib/site-packages/dflatc/__init__.py")
      let info = "lib/site-packages/dflatc-0.0.1.dist-info"
      try folder.write("Metadata-Version: 2.1\nName: dflatc\nVersion: 0.0.1\n", to: info + "/METADATA")
      try folder.write("dflatc/__init__.py,,\ndflatc/__main__.py,,\n../../bin/dflatc,,\n", to: info + "/RECORD")
      try folder.write("#!/bin/sh\necho \"ran with $*\"\n", to: "bin/dflatc")
      let shell = Shell(folder: folder)
      guard try shell.run("command -v python3").isSuccess else { return }
      let result = try shell.run(
        "chmod +x bin/dflatc; PYTHONPATH=lib/site-packages PYTHONDONTWRITEBYTECODE=1 python3 -m dflatc lint a")
      #expect(result.isSuccess && result.text == "ran with lint a\n", "\(result.text)")
    }
  }

  @Test("The scripts that the container image and the formula call are in the repository")
  func theProgramsOfTheImageAndTheFormulaAreInTheRepository() throws {
    for (file, script) in [
      ("Containerfile", "Scripts/build-release.sh"), ("Packaging/dflatc.rb", "Makefile"),
    ] {
      #expect(
        !(try text(file)).isEmpty && FileManager.default.fileExists(atPath: packageFolder.appending(path: script).path))
    }
    #expect(try text("Containerfile").contains("Scripts/build-release.sh"))
    #expect(try text("Packaging/Makefile").contains("./distribute.sh wheel"))
  }
}
