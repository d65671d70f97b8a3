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

  static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + (folder.map { ["-C", $0] } ?? []) + arguments
    return process
  }

  static func run(_ arguments: [String]) throws(InputError) -> Answer {
    let process = process(arguments)
    let (output, error) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = error
    process.standardInput = FileHandle.nullDevice
    let end = ProcessEnd(of: process)
    do {
      try process.run()
      // Error messages of git fit into a pipe, so that neither process waits for the other.
      let written = try output.fileHandleForReading.readToEnd() ?? Data()
      let said = try error.fileHandleForReading.readToEnd() ?? Data()
      end.wait()
      if process.terminationStatus == 127 {
        throw InputError(message: "cannot run git, which --against needs: is it installed, and on PATH?")
      }
      return Answer(
        isSuccess: process.terminationStatus == 0, output: String(decoding: written, as: UTF8.self),
        complaint: complaint(String(decoding: said, as: UTF8.self)))
    } catch let error as InputError {
      throw error
    } catch {
      throw InputError(message: "cannot run git: \(error.localizedDescription)")
    }
  }

  /// Returns git's error as part of a message, with the advice that may follow on further lines.
  private static func complaint(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let words = lines.map { $0.hasPrefix("fatal: ") ? String($0.dropFirst(7)) : $0 }
    return words.joined(separator: "\n  ")
  }
}

/// One process `git cat-file --batch`, which writes one object after another: a process for each file would be slow.
final class GitObjects {
  private let process: Process
  private let end: ProcessEnd
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  /// Starts the process.
  /// - Parameters:
  ///   - followsLinks: whether a symbolic link stands for the file that it leads to. In the index git cannot follow
  ///     links.
  ///   - folder: a folder of the repository, if it is not the current one.
  init(followsLinks: Bool, in folder: String? = nil) throws(InputError) {
    process = Git.process(
      (folder.map { ["-C", $0] } ?? []) + ["cat-file", "--batch"] + (followsLinks ? ["--follow-symlinks"] : []))
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
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

  /// Returns the content of a file that git names, such as `main:a/b.fbs`, or `:a/b.fbs` for the index.
  func read(_ name: String) throws(SourceReadError) -> [UInt8] {
    guard !name.contains("\n") else { throw .notFound }
    do {
      try input.fileHandleForWriting.write(contentsOf: Data((name + "\n").utf8))
      let words = try line().split(separator: " ")
      // Git repeats the name of a missing object, which may have blanks in it, with a word after it. It tells the
      // target of a link on a line of its own.
      if words.count == 2, ["symlink", "dangling", "loop", "notdir"].contains(words[0]), let count = Int(words[1]) {
        _ = try bytes(count)
        throw SourceReadError.unreadable(reason: "it is a link that leads to no file of the commit")
      }
      guard words.count == 3, let count = Int(words[2]), Self.kinds.contains(words[1]) else {
        throw SourceReadError.notFound
      }
      let content = try bytes(count)
      guard words[1] == "blob" else { throw SourceReadError.unreadable(reason: "it is no file") }
      return content
    } catch let error as SourceReadError {
      throw error
    } catch {
      throw .unreadable(reason: "cannot talk to git: \(error.localizedDescription)")
    }
  }

  private static let kinds: [Substring] = ["blob", "tree", "commit", "tag"]

  private func fill() throws(SourceReadError) {
    let more = output.fileHandleForReading.availableData
    guard !more.isEmpty else { throw .unreadable(reason: "git ended") }
    buffer.append(more)
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
