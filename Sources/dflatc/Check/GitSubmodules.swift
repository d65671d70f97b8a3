import FBSSchema
import Foundation

/// The submodules of a commit, or of the index. Their files are in repositories of their own, at the commits that the
/// outer repository names. A submodule may have submodules itself.
final class GitSubmodules {
  /// The root of the outer repository.
  private let root: String
  /// Whether the outer repository is a submodule itself, and not the one of the current folder.
  private let isNested: Bool
  /// The commit; empty for the index.
  private let commit: String
  private let objects: GitObjects
  /// The submodules that were opened so far, by their paths from the repository's root.
  private var opened: [String: Result<Submodule, SourceReadError>] = [:]

  private struct Submodule {
    let folder: String
    let commit: String
    let objects: GitObjects
    let submodules: GitSubmodules

    init(folder: String, commit: String) throws(InputError) {
      self.folder = folder
      self.commit = commit
      objects = try GitObjects(followsLinks: true, in: folder)
      submodules = GitSubmodules(root: folder, isNested: true, commit: commit, objects)
    }
  }

  init(root: String, isNested: Bool = false, commit: String, _ objects: GitObjects) {
    self.root = root
    self.isNested = isNested
    self.commit = commit
    self.objects = objects
  }

  /// The paths of the submodules from the repository's root, as `.gitmodules` has them. Most repositories have none.
  private lazy var paths: [String] = {
    // A commit without that file has no submodules. If git fails for another reason, the read of a file in one fails, too, and says so.
    guard (try? objects.read("\(commit):.gitmodules")) != nil else { return [] }
    // Git reads it, since a path may stand in quotes, with escapes. Each entry is a name, a line break and the path. Git finds no submodule
    // through a file that it cannot parse, and neither does this, with a warning: removed files would go unnoticed.
    let arguments = ["config", "-z", "--blob", "\(commit):.gitmodules", "--get-regexp", #"^submodule\..*\.path$"#]
    let complaint: String
    do throws(InputError) {
      let answer = try Git.run(arguments, in: isNested ? root : nil)
      if answer.isSuccess {
        return answer.output.split(separator: "\0").compactMap { entry in
          entry.firstIndex(of: "\n").map { String(entry[entry.index(after: $0)...]) }
        }
      }
      complaint = answer.complaint
    } catch {
      complaint = error.message
    }
    // Git fails silently if the file names no path.
    if !complaint.isEmpty {
      Terminal.printError(
        "warning: git cannot parse .gitmodules\(isNested ? " of \(root)" : ""), so that submodules are left out: "
          + complaint)
    }
    return []
  }()

  /// Returns the content of a file, given its path from the repository's root; nil if the file is in no submodule.
  func read(_ path: String) throws(SourceReadError) -> [UInt8]? {
    guard let name = paths.first(where: { path.hasPrefix($0 + "/") }) else { return nil }
    let submodule = try open(name).get()
    let inside = String(path.dropFirst(name.count + 1))
    do {
      return try submodule.objects.read("\(submodule.commit):\(inside)")
    } catch {
      guard error == .notFound, let content = try submodule.submodules.read(inside) else { throw error }
      return content
    }
  }

  /// Returns the files below a folder that are in submodules, as paths from that folder. The folder may hold submodules,
  /// be one, or lie in one. A submodule that is not checked out has no files, on either side of a comparison.
  ///
  /// - Throws: `InputError` if a submodule is checked out and its files cannot be listed, since files that were removed
  ///   from it would go unnoticed.
  func files(below folder: String) throws(InputError) -> [String] {
    var files: [String] = []
    let start = folder.isEmpty ? "" : folder + "/"
    for name in paths {
      let prefix: String
      var inside = ""
      if name.hasPrefix(start) {
        prefix = "\(name.dropFirst(start.count))/"
      } else if start.hasPrefix(name + "/") {
        prefix = ""
        inside = String(folder.dropFirst(name.count + 1))
      } else {
        continue
      }
      guard try isCheckedOut(name) else { continue }
      let submodule: Submodule
      switch open(name) {
      case .success(let opened): submodule = opened
      // The commit does not have it yet.
      case .failure(.notFound): continue
      case .failure(let error): throw Self.failure(name, error.description)
      }
      files += try Self.files(of: submodule, name, below: inside).map { prefix + $0 }
    }
    return files
  }

  private static func files(
    of submodule: Submodule, _ name: String, below folder: String
  ) throws(InputError) -> [String] {
    let tree: String?
    do {
      tree = try submodule.objects.folder("\(submodule.commit):\(folder)")
    } catch {
      throw failure(name, error.description)
    }
    var files: [String] = []
    if let tree {
      let answer = try Git.run(
        ["ls-tree", "-r", "-z", "--full-tree", "--name-only", tree], in: submodule.folder)
      guard answer.isSuccess else { throw failure(name, answer.complaint) }
      files = answer.output.split(separator: "\0").map(String.init)
    }
    return try files + submodule.submodules.files(below: folder)
  }

  private static func failure(_ name: String, _ reason: String) -> InputError {
    InputError(message: "cannot list the submodule \(name): \(reason)")
  }

  private func open(_ name: String) -> Result<Submodule, SourceReadError> {
    if let known = opened[name] { return known }
    let result: Result<Submodule, SourceReadError>
    do {
      result = .success(try look(name))
    } catch let error as SourceReadError {
      result = .failure(error)
    } catch let error as InputError {
      result = .failure(.unreadable(reason: error.message))
    } catch {
      result = .failure(.unreadable(reason: error.localizedDescription))
    }
    opened[name] = result
    return result
  }

  /// Returns whether a submodule has a repository of its own.
  ///
  /// - Throws: `InputError` if it has one that git does not take, such as one that belongs to somebody else.
  private func isCheckedOut(_ name: String) throws(InputError) -> Bool {
    let folder = root + "/" + name
    let place = try Git.run(["rev-parse", "--show-toplevel"], in: folder)
    guard place.isSuccess else {
      guard FileManager.default.fileExists(atPath: folder + "/.git") else { return false }
      throw InputError(message: "git does not take the submodule \(name) for a repository: \(place.complaint)")
    }
    // A folder without a repository of its own belongs to the outer one.
    return place.output.trimmingCharacters(in: .newlines) != root
  }

  private func look(_ name: String) throws -> Submodule {
    let folder = root + "/" + name
    let commit = try Git.run(
      ["rev-parse", "--verify", "--quiet", "\(commit):\(name)"], in: isNested ? root : nil)
    guard commit.isSuccess else { throw SourceReadError.notFound }
    let id = commit.output.trimmingCharacters(in: .whitespacesAndNewlines)
    guard try isCheckedOut(name) else {
      throw SourceReadError.unreadable(
        reason:
          "it is in the submodule \(name), which is not checked out: `git submodule update --init \(name)` gets it")
    }
    guard try Git.run(["cat-file", "-e", "\(id)^{commit}"], in: folder).isSuccess else {
      throw SourceReadError.unreadable(
        reason: "it is in the submodule \(name) at \(id.prefix(12)), which its clone does not have: "
          + "`git -C \(name) fetch origin \(id)` gets it")
    }
    return try Submodule(folder: folder, commit: id)
  }
}
