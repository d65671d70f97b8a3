import Foundation

/// The earlier version that `--against` names in git.
enum OldVersion: Equatable {
  /// A commit, `git:REF` or `git:REF:DIR`.
  case commit(GitReference)
  /// The commit where HEAD left a branch, `merge-base:REF`. For `merge-base` alone, it is the branch into which HEAD is
  /// going to be merged.
  case mergeBase(branch: String?, folder: String?)

  /// Parses the value of `--against`; nil if it names no version in git, such as the path of a file or folder.
  init?(_ text: String) {
    if let reference = GitReference(text) {
      self = .commit(reference)
      return
    }
    guard text != "merge-base" else {
      self = .mergeBase(branch: nil, folder: nil)
      return
    }
    guard text.hasPrefix("merge-base:") else { return nil }
    let (branch, folder) = GitReference.split(text.dropFirst(11))
    guard !branch.isEmpty else { return nil }
    self = .mergeBase(branch: branch, folder: folder)
  }

  /// Returns the commit to compare with.
  /// - Throws: `InputError` if the merge base is not known.
  func reference() throws(InputError) -> GitReference {
    switch self {
    case .commit(let reference): reference
    case .mergeBase(let branch, let folder):
      try MergeBase(branch: branch, environment: ProcessInfo.processInfo.environment).reference(folder: folder)
    }
  }
}

/// Finds the commit where HEAD left the branch that it is going to be merged into.
struct MergeBase {
  /// The branch that was named, or that the environment of a pipeline names; nil if neither names one.
  private let branch: String?
  /// The merge base itself, if the environment of a pipeline names it.
  private let known: String?

  /// Reads which branch is meant.
  /// - Parameters:
  ///   - branch: the branch; nil to take it from the environment, or else from the repository.
  ///   - environment: the environment variables, which GitHub, GitLab and others set in their pipelines.
  init(branch: String?, environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard branch == nil else {
      (self.branch, known) = (branch, nil)
      return
    }
    known = value("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    let names = [
      "GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "BITBUCKET_PR_DESTINATION_BRANCH",
      "SYSTEM_PULLREQUEST_TARGETBRANCH", "CHANGE_TARGET", "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    ]
    let name = names.lazy.compactMap(value).first
    self.branch = name.map { "origin/" + ($0.hasPrefix("refs/heads/") ? String($0.dropFirst(11)) : $0) }
  }

  func reference(folder: String?) throws(InputError) -> GitReference {
    if let known {
      guard try Self.hasCommit(known) else {
        throw InputError(
          message: "the merge request starts at \(known), which this clone does not have: "
            + "`git fetch origin \(known)` gets it, or GIT_DEPTH: 0 in .gitlab-ci.yml")
      }
      return try Self.reference(to: known, folder)
    }
    var branch = branch ?? ""
    if branch.isEmpty { branch = try Self.mainBranch() }
    guard try Self.hasCommit(branch) else {
      throw InputError(message: "there is no git commit \(branch): \(try Self.howToFetch(branch))")
    }
    let answer = try Git.run(["merge-base", "HEAD", branch])
    guard answer.isSuccess else {
      guard try Self.isShallow() else {
        throw InputError(message: "HEAD and \(branch) have no commit in common")
      }
      throw InputError(
        message:
          "this clone is shallow, and ends before the commit where HEAD left \(branch): `git fetch --unshallow`, "
          + "`fetch-depth: 0` of actions/checkout, or GIT_DEPTH: 0 in .gitlab-ci.yml gets the rest")
    }
    return try Self.reference(to: answer.output.trimmingCharacters(in: .whitespacesAndNewlines), folder)
  }

  /// Returns the commit by the name that people write.
  private static func reference(to commit: String, _ folder: String?) throws(InputError) -> GitReference {
    let answer = try Git.run(["rev-parse", "--short", commit])
    let name = answer.isSuccess ? answer.output.trimmingCharacters(in: .whitespacesAndNewlines) : commit
    return GitReference(name: name, folder: folder)
  }

  /// Returns the main branch of the repository: the default branch of `origin`, or else the first existing one of the
  /// usual names.
  private static func mainBranch() throws(InputError) -> String {
    let head = try Git.run(["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])
    if head.isSuccess { return head.output.trimmingCharacters(in: .whitespacesAndNewlines) }
    for name in ["origin/main", "origin/master", "main", "master"] where try hasCommit(name) { return name }
    throw InputError(message: "git does not tell which branch is the main one: write merge-base:BRANCH")
  }

  private static func hasCommit(_ name: String) throws(InputError) -> Bool {
    try Git.commit(name) != nil
  }

  private static func isShallow() throws(InputError) -> Bool {
    try Git.run(["rev-parse", "--is-shallow-repository"]).output.hasPrefix("true")
  }

  private static func howToFetch(_ branch: String) throws(InputError) -> String {
    guard branch.hasPrefix("origin/") else { return "`git fetch` gets what is elsewhere" }
    let name = branch.dropFirst(7)
    let rest = try isShallow() ? ", with --unshallow, since this clone is shallow" : ""
    return "`git fetch origin \(name):refs/remotes/origin/\(name)` gets it\(rest)"
  }
}
