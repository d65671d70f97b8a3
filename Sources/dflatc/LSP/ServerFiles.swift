import Emitters
import FBSParser
import FBSSchema
import Foundation
import LanguageServer
import SchemaEvolution

/// The files of this machine, for a server that reads the same files again and again.
///
/// A file is read again when its size, its times or its file number have changed. So a key stroke costs one system call
/// for each file.
final class ServerFiles: LanguageServerHost {
  /// The state of a file, which differs after a change. Nil stands for a path without a file.
  struct Stamp: Equatable {
    let device: UInt64
    let number: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
    let changeSeconds: Int
    let changeNanoseconds: Int
  }

  private struct Known {
    let stamp: Stamp?
    let identity: String
    var content: Result<[UInt8], SourceReadError>?
  }

  private var known: [String: Known] = [:]
  /// The configurations without mistakes, by the folders of schemas, with the states of the files that they depend on.
  private var configurations: [String: (stamps: [Stamp?], team: TeamConfiguration)] = [:]
  private let base = InputFileSystem()
  private var comparison = GitComparison()

  let version = CompilerVersion.current + (Dflatc.commit.map { " (\($0))" } ?? "")

  /// The URL of the folder of pages that `make install` puts beside the program, or else of the folder in the sources
  /// that the program was built from; nil if there is none.
  let pages: String? = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0])
    if let own = Bundle.main.executableURL { folder = own }
    folder = folder.resolvingSymlinksInPath().deletingLastPathComponent()
    let installed = folder.deletingLastPathComponent().appendingPathComponent("share/doc/dflatc")
    if hasPages(installed) { return DocumentURI.uri(installed.path) }
    while folder.path != "/" {
      let pages = folder.appendingPathComponent("Documentation")
      if hasPages(pages) { return DocumentURI.uri(pages.path) }
      folder.deleteLastPathComponent()
    }
    return nil
  }()

  private static func hasPages(_ folder: URL) -> Bool {
    ["diagnostics.md", "lint-rules.md"].allSatisfy {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
    }
  }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    let entry = look(path)
    if let content = entry.content { return try content.get() }
    let content: Result<[UInt8], SourceReadError>
    do {
      let bytes = try base.bytes(path)
      content =
        SchemaText.isBinary(bytes, path: path)
        ? .failure(.unreadable(reason: SchemaText.hasNoText)) : .success(bytes)
    } catch {
      content = .failure(error)
    }
    // A missing file has no content to keep, and a file that could not be read may be readable next time.
    if entry.stamp != nil, case .success = content { known[path]?.content = content }
    return try content.get()
  }

  func identity(of path: String) -> String { look(path).identity }

  private func look(_ path: String) -> Known {
    let stamp = Self.stamp(of: path)
    if let entry = known[path], entry.stamp == stamp { return entry }
    let entry = Known(stamp: stamp, identity: base.identity(of: path))
    known[path] = entry
    return entry
  }

  static func stamp(of path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    return Stamp(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino), size: Int64(status.st_size),
      seconds: modified.tv_sec, nanoseconds: modified.tv_nsec, changeSeconds: changed.tv_sec,
      changeNanoseconds: changed.tv_nsec)
  }

  func schemas(below folder: String) -> [String] {
    // A folder that is gone, or has no schema yet, is no mistake of a workspace.
    (try? base.schemas(below: folder)) ?? []
  }

  func entries(of folder: String) -> [String] {
    // A path that is being typed need not lead to a folder yet: then there is nothing to complete it with.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
      return isFolder.boolValue ? name + "/" : name
    }
  }

  func configuration(for path: String) -> HostConfiguration {
    let folder = path.parentFolder
    var candidates: [String] = []
    var place = URL(fileURLWithPath: folder)
    while true {
      candidates.append(place.appendingPathComponent(TeamConfiguration.fileName).path)
      guard place.path != "/" else { break }
      place.deleteLastPathComponent()
    }
    // A configuration changes with those that it extends.
    if let known = configurations[folder], known.stamps == (candidates + known.team.files).map(Self.stamp) {
      return host(known.team, nil, path)
    }
    let reader = Configurations()
    let team = reader.nearest(to: folder)
    // One with a mistake is read again each time: the mistake may be in a file that it extends, or in a missing one.
    if let mistake = reader.mistake {
      configurations[folder] = nil
      return host(TeamConfiguration(), mistake, path)
    }
    configurations[folder] = ((candidates + team.files).map(Self.stamp), team)
    return host(team, nil, path)
  }

  func findings(
    about path: String, in folders: [String], includePaths: [String], texts: [String: [UInt8]]
  ) -> EvolutionAnswer? {
    let folder = folders.first { path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
    return comparison.findings(
      about: path, neighbours: folder ?? path.parentFolder, includePaths: includePaths, texts: texts)
  }

  private func host(_ team: TeamConfiguration, _ mistake: String?, _ path: String) -> HostConfiguration {
    HostConfiguration(
      lint: team.lint(for: path),
      otherRules: Set(EvolutionRule.all.map(\.id)).union(team.programs.flatMap(\.rules.keys)), mistake: mistake,
      includePaths: team.includePaths, emit: team.swift?.emitters.map(\.name) ?? [], isVendored: team.isVendored,
      isExcluded: team.isExcluded)
  }
}
