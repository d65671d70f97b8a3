#if compiler(>=6.3) && os(Linux)
  import EngineTestSupport
  import Foundation
  import Testing

  /// A second process that reads which locks are held on the files of a store. It is asked over named pipes.
  ///
  /// It is the process that would have to wait for these locks: it sees them in the system's list, and by asking for a lock
  /// that excludes them all.
  final class LockReader: Sendable {
    private let folder: String
    private let requests: Int32
    private let answers: Int32

    struct Failure: Error {
      let description: String
    }

    /// Makes the pipes. `serve` starts the process.
    init() throws {
      let folder = NSTemporaryDirectory() + "dflat-locks-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Open for reading and writing: the call does not wait for the other end. The reader gets an end of file when this
      // process has closed its end, or has ended.
      func pipe(_ name: String) -> Int32 {
        mkfifo(folder + name, 0o600) == 0 ? open(folder + name, O_RDWR | O_CLOEXEC) : -1
      }
      self.folder = folder
      (requests, answers) = (pipe("/requests"), pipe("/answers"))
      guard requests >= 0, answers >= 0 else { throw Failure(description: "no pipes: \(errno)") }
    }

    /// Runs the other process, which ends when `close` is called.
    func serve() async {
      await #expect(processExitsWith: .success) { [folder = folder as String] in
        // Opening a pipe would wait forever for a process that has been killed meanwhile.
        alarm(60)
        guard let requests = fopen(folder + "/requests", "r"), let answers = fopen(folder + "/answers", "w") else {
          exit(1)
        }
        alarm(0)
        while let path = LockReader.line(requests) {
          let locks = FileLocks(of: path)
          let found = locks.held + locks.thatKeepFromWriting.map { "\($0) cannot be locked" }
          fputs((found + ["", ""]).joined(separator: "\n"), answers)
          fflush(answers)
        }
        exit(0)
      }
    }

    private static func line(_ file: UnsafeMutablePointer<FILE>) -> String? {
      var buffer = [CChar](repeating: 0, count: 4096)
      guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
      return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Asks the other process for the locks on the files of the store at `path`, and waits for its answer: one line for each
    /// lock, none if no process holds any.
    func locks(of path: String) throws -> [String] {
      let request = Array("\(path)\n".utf8)
      guard write(requests, request, request.count) == request.count else {
        throw Failure(description: "the reader cannot be asked: \(errno)")
      }
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65536)
      // An answer ends with an empty line.
      while text != [10], !text.suffix(2).elementsEqual([10, 10]) {
        var answer = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
        guard poll(&answer, 1, Int32(patience) * 1000) == 1 else { throw Failure(description: "the reader is silent") }
        let count = read(answers, &buffer, buffer.count)
        guard count > 0 else { throw Failure(description: "the reader cannot be heard: \(errno)") }
        text += buffer.prefix(count)
      }
      return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends the other process, which has to have answered once, and removes the pipes.
    func close() throws {
      try FileManager.default.removeItem(atPath: folder)
      Glibc.close(requests)
      Glibc.close(answers)
    }
  }
#endif
