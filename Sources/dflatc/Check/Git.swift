import FBSSchema
import Foundation

/// Runs git.
enum Git {
  /// The folder in which git runs; nil for the current one.
  @TaskLocal static var folder: String?

  /// The output of a command.
  struct Answer {
    let isSuccess: Bool
    let output: String
    /// The text that the command wrote to its standard error, without `fatal:`.
    let complaint: String
  }

  /// Returns a process of git, which is not started yet.
  /// - Parameter other: the folder of another repository, such as a submodule; nil for the repository of the current
  ///   folder.
  static func process(_ arguments: [String], in other: String? = nil) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["git"] + (folder.map { ["-C", $0] } ?? []) + (other.map { ["-C", $0] } ?? []) + arguments
    process.environment = other == nil ? environment : environmentOfOthers
    return process
  }

  /// The environment without the settings that would have git read paths otherwise than they are meant here. Some programs
  /// set them for hooks.
  private static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    for setting in ["LITERAL", "GLOB", "NOGLOB", "ICASE"] { environment["GIT_\(setting)_PATHSPECS"] = nil }
    return environment
  }()

  /// The environment for other repositories. In a hook, variables such as GIT_DIR name the repository that runs it, and
  /// would make git take that one for any other.
  private static let environmentOfOthers: [String: String] = {
    var environment = Git.environment
    // Settings of the command line hold in submodules, too, as they do for git itself.
    let settings: Set = ["GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"]
    // If git cannot be run, the next command says so.
    let names = (try? run(["rev-parse", "--local-env-vars"]))?.output.split(separator: "\n").map(String.init) ?? []
    for name in names where !settings.contains(name) { environment[name] = nil }
    return environment
  }()

  /// Runs git to its end.
  /// - Parameter other: the folder of another repository, such as a submodule; nil for the repository of the current
  ///   folder.
  static func run(_ arguments: [String], in other: String? = nil) throws(InputError) -> Answer {
    let process = process(arguments, in: other)
    let output = Pipe()
    // A file, since git would wait if a pipe were full: it may have a warning for each of many folders.
    let errors = GitObjects.unnamedFile()
    process.standardOutput = output
    process.standardError = errors ?? FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let end = ProcessEnd(of: process)
    do {
      try process.run()
      let written = try output.fileHandleForReading.readToEnd() ?? Data()
      end.wait()
      if process.terminationStatus == 127 {
        throw InputError(message: "cannot run git, which --against needs: is it installed, and on PATH?")
      }
      return Answer(
        isSuccess: process.terminationStatus == 0, output: String(decoding: written, as: UTF8.self),
        complaint: complaint(errors))
    } catch let error as InputError {
      throw error
    } catch {
      throw InputError(message: "cannot run git: \(error.localizedDescription)")
    }
  }

  /// Returns what git has written to its standard error as part of a message, with the advice that may follow on further
  /// lines. Empty if it cannot be read.
  fileprivate static func complaint(_ errors: FileHandle?) -> String {
    try? errors?.seek(toOffset: 0)
    let text = String(decoding: (try? errors?.readToEnd()) ?? Data(), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    let words = lines.map { $0.hasPrefix("fatal: ") ? String($0.dropFirst(7)) : $0 }
    return words.joined(separator: "\n  ")
  }
}

/// One process `git cat-file --batch`, which writes one object after another: a process for each file would be slow.
final class GitObjects {
  private let process: Process
  private let end: ProcessEnd
  /// A folder of another repository; nil for the repository of the current folder.
  private let otherFolder: String?
  private let input = Pipe()
  private let output = Pipe()
  /// What the process writes to its standard error. A file, since the process would wait if a pipe were full.
  private let errors: FileHandle?
  private var buffer = Data()
  /// Why the process has ended before its time; nil while it answers.
  private var failure: SourceReadError?

  /// An object that git has found by a name.
  private struct Object {
    let id: Substring
    let kind: Substring
    let content: [UInt8]
  }

  /// Starts the process.
  /// - Parameters:
  ///   - followsLinks: whether a symbolic link stands for the file that it leads to. In the index git cannot follow
  ///     links.
  ///   - folder: a folder of another repository; nil for the repository of the current folder.
  init(followsLinks: Bool, in folder: String? = nil) throws(InputError) {
    otherFolder = folder
    process = Git.process(["cat-file", "--batch"] + (followsLinks ? ["--follow-symlinks"] : []), in: folder)
    errors = GitObjects.unnamedFile()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors ?? FileHandle.nullDevice
    end = ProcessEnd(of: process)
    do {
      try process.run()
    } catch {
      throw InputError(message: "cannot run git: \(error.localizedDescription)")
    }
  }

  deinit {
    do {
      try input.fileHandleForWriting.close()
    } catch {
      process.terminate()
    }
    end.wait()
  }

  /// Returns a new file without a name, which is gone when it is closed. Nil if the system gives none.
  fileprivate static func unnamedFile() -> FileHandle? {
    guard let file = tmpfile() else { return nil }
    defer { fclose(file) }
    let descriptor = dup(fileno(file))
    return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Returns the content of a file that git names, such as `main:a/b.fbs`, or `:a/b.fbs` for the index.
  func read(_ name: String) throws(SourceReadError) -> [UInt8] {
    guard let object = try object(name) else { throw .notFound }
    guard object.kind == "blob" else { throw .unreadable(reason: "it is no file") }
    return object.content
  }

  /// Returns the id of a folder that git names, such as `main:a`; nil if there is no such folder.
  func folder(_ name: String) throws(SourceReadError) -> String? {
    do {
      guard let object = try object(name), object.kind == "tree" else { return nil }
      return String(object.id)
    } catch {
      // A link that leads nowhere is no folder.
      if failure == nil { return nil }
      throw error
    }
  }

  private func object(_ name: String) throws(SourceReadError) -> Object? {
    if let failure { throw failure }
    // A request is a line, so that an object whose name has a line break is asked for by its id.
    guard let request = Self.isLine(name) ? name : try id(name) else { return nil }
    try write(request + "\n")
    let words = try line().split(separator: " ")
    // Git repeats the name of a missing object, which may have blanks in it, with a word after it. It tells the target
    // of a link on a line of its own.
    if words.count == 2, ["symlink", "dangling", "loop", "notdir"].contains(words[0]), let count = Int(words[1]) {
      _ = try bytes(count)
      throw .unreadable(reason: "it is a link that leads to no file of the commit")
    }
    guard words.count == 3, let count = Int(words[2]), Self.kinds.contains(words[1]) else { return nil }
    return Object(id: words[0], kind: words[1], content: try bytes(count))
  }

  /// Returns whether a name has no line break. By bytes: CR LF is one character to Swift.
  private static func isLine(_ name: String) -> Bool { !name.utf8.contains(UInt8(ascii: "\n")) }

  /// Returns the id of an object, which another process looks up; nil if there is none. A link is not followed.
  private func id(_ name: String) throws(SourceReadError) -> String? {
    let answer: Git.Answer
    do throws(InputError) {
      answer = try Git.run(["rev-parse", "--verify", "--quiet", name], in: otherFolder)
    } catch {
      throw .unreadable(reason: error.message)
    }
    return answer.isSuccess ? answer.output.trimmingCharacters(in: .newlines) : nil
  }

  private static let kinds: [Substring] = ["blob", "tree", "commit", "tag"]

  private func write(_ text: String) throws(SourceReadError) {
    // Writing to a process that has ended must not end this one.
    let handler = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, handler) }
    do {
      try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    } catch {
      throw fail()
    }
  }

  private func fill() throws(SourceReadError) {
    let more = output.fileHandleForReading.availableData
    guard !more.isEmpty else { throw fail() }
    buffer.append(more)
  }

  /// Records that the process has ended, and returns an error with the text of its standard error.
  private func fail() -> SourceReadError {
    end.wait()
    // If git has written nothing to its standard error, the message only says that git has ended.
    let said = Git.complaint(errors)
    let error = SourceReadError.unreadable(reason: said.isEmpty ? "git ended" : "git ended: \(said)")
    failure = error
    return error
  }

  private func line() throws(SourceReadError) -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[(end + 1)...])
        return line
      }
      try fill()
    }
  }

  /// Reads `count` bytes and the line break after them, and returns the bytes.
  private func bytes(_ count: Int) throws(SourceReadError) -> [UInt8] {
    while buffer.count < count + 1 { try fill() }
    let content = [UInt8](buffer.prefix(count))
    buffer = Data(buffer.dropFirst(count + 1))
    return content
  }
}
