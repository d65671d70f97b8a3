import FBSSchema
import Foundation

/// The submodules of a commit, or of the index. Their files are in repositories of their own, at the commits that the
/// outer repository names.
final class GitSubmodules {
  private let place: GitPlace
  /// The commit; empty for the index.
  private let commit: String
  private let objects: GitObjects
  /// The submodules that were opened so far, by their paths from the repository's root.
  private var opened: [String: Result<Submodule, SourceReadError>] = [:]

  private struct Submodule {
    let folder: String
    let commit: String
    let objects: GitObjects
  }

  init(_ place: GitPlace, commit: String, _ objects: GitObjects) {
    self.place = place
    self.commit = commit
    self.objects = objects
  }

  /// The paths of the submodules from the repository's root, as `.gitmodules` has them. Most repositories have none.
  private lazy var paths: [String] = {
    // A commit without that file has no submodules. If git fails for another reason, the read of a file in one fails, too, and says so.
    guard let bytes = try? objects.read("\(commit):.gitmodules") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return parts.count == 2 && parts[0] == "path" ? parts[1] : nil
    }
  }()

  /// Returns the content of a file, given its path from the repository's root; nil if the file is in no submodule.
  func read(_ path: String) throws(SourceReadError) -> [UInt8]? {
    guard let name = paths.first(where: { path.hasPrefix($0 + "/") }) else { return nil }
    let submodule = try open(name).get()
    return try submodule.objects.read("\(submodule.commit):\(path.dropFirst(name.count + 1))")
  }

  /// Returns the files of all submodules below a folder, as paths from that folder. A submodule that is not checked out
  /// has none, on either side of a comparison.
  ///
  /// - Throws: `InputError` if a submodule is checked out and its files cannot be listed, since files that were removed
  ///   from it would go unnoticed.
  func files(below folder: String) throws(InputError) -> [String] {
    var files: [String] = []
    let start = folder.isEmpty ? "" : folder + "/"
    for name in paths where (name + "/").hasPrefix(start) {
      guard try isCheckedOut(name) else { continue }
      let submodule: Submodule
      switch open(name) {
      case .success(let opened): submodule = opened
      // The commit does not have it yet.
      case .failure(.notFound): continue
      case .failure(let error):
        throw InputError(message: "cannot list the submodule \(name): \(error.description)")
      }
      let answer = try Git.run(
        ["-C", submodule.folder, "ls-tree", "-r", "-z", "--name-only", "--end-of-options", submodule.commit])
      guard answer.isSuccess else {
        throw InputError(message: "cannot list the submodule \(name): \(answer.complaint)")
      }
      let inner = name.dropFirst(start.count)
      files += answer.output.split(separator: "\0").map { "\(inner)/\($0)" }
    }
    return files
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

  private func isCheckedOut(_ name: String) throws(InputError) -> Bool {
    // A folder without a repository of its own belongs to the outer one.
    let root = try Git.run(["-C", place.root + "/" + name, "rev-parse", "--show-toplevel"])
    return root.isSuccess && root.output.trimmingCharacters(in: .newlines) != place.root
  }

  private func look(_ name: String) throws -> Submodule {
    let folder = place.root + "/" + name
    let commit = try Git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(commit):\(name)"])
    guard commit.isSuccess else { throw SourceReadError.notFound }
    let id = commit.output.trimmingCharacters(in: .whitespacesAndNewlines)
    guard try isCheckedOut(name) else {
      throw SourceReadError.unreadable(
        reason:
          "it is in the submodule \(name), which is not checked out: `git submodule update --init \(name)` gets it")
    }
    guard try Git.run(["-C", folder, "cat-file", "-e", "\(id)^{commit}"]).isSuccess else {
      throw SourceReadError.unreadable(
        reason: "it is in the submodule \(name) at \(id.prefix(12)), which its clone does not have: "
          + "`git -C \(name) fetch origin \(id)` gets it")
    }
    return Submodule(
      folder: folder, commit: id, objects: try GitObjects(followsLinks: true, in: folder))
  }
}
