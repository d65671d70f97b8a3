import EngineTestSupport
import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// A socket between a workspace and the server that can slow down what is sent to the server, and leave new connections or queries without
/// an answer, as a server does that is stopped.
final class StallingProxy: Sendable {
  /// The folder of the socket, for connection strings.
  let folder: String
  private let listener: Int32
  private let target: String
  /// The microseconds before each 64 KiB that are sent to the server.
  private let pause = Locked<UInt32>(0)
  private let isStopped = Locked(false)
  /// The first byte of the messages to the server that are not handed on; nil if all are.
  private let lostMessage = Locked<UInt8?>(nil)
  private let failsAfterCommits = Locked(false)
  private let collectsAnswers = Locked(false)
  private let unanswered = Locked<[Int32]>([])

  init(_ server: PostgresServer) throws {
    folder = "/tmp/dflat-stall-\(UUID().uuidString.prefix(8))"
    target = server.socketFolder + "/.s.PGSQL.5432"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = try CuttingProxy.socket(at: folder + "/.s.PGSQL.5432") { address, length, socket in
      bind(socket, address, length) == 0 && listen(socket, 16) == 0
    }
    // For a pooler, which runs as another user.
    guard chmod(folder + "/.s.PGSQL.5432", 0o777) == 0 else { throw POSIXError(.EPERM) }
    Thread.detachNewThread { self.accept() }
  }

  /// Sends the server 64 KiB in this time from now on.
  func slowDown(to seconds: Double) { pause.value = UInt32(seconds * 1_000_000) }

  /// Answers no new connection from now on.
  func stop() { isStopped.value = true }

  /// Hands no simple query on from now on, of a connection that waits for the answer to each.
  func loseQueries() { lostMessage.value = UInt8(ascii: "Q") }

  /// Hands no statements on from now on that a connection sends together. It still accepts connections, as a pooler does
  /// whose connections to the server are all in use.
  func loseStatements() { lostMessage.value = UInt8(ascii: "P") }

  /// Adds an error to the answer to each COMMIT from now on, after it.
  func failAfterCommits() { failsAfterCommits.value = true }

  /// Hands an answer on in one piece of up to 64 KiB from now on, which the server sends in pieces of 8.
  func collectAnswers() { collectsAnswers.value = true }

  func close() {
    _ = shutdown(listener, Int32(SHUT_RDWR))
    _ = Glibc.close(listener)
    for client in unanswered.value { _ = Glibc.close(client) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The message that a COMMIT has succeeded.
  private static let committed = Array("C\u{0}\u{0}\u{0}\u{B}COMMIT\u{0}".utf8)

  /// The message that a time limit has passed.
  private static let error: [UInt8] = {
    let fields = Array("SERROR\u{0}VERROR\u{0}C57014\u{0}Mcanceling statement due to statement timeout\u{0}\u{0}".utf8)
    return [UInt8(ascii: "E"), 0, 0, 0, UInt8(fields.count + 4)] + fields
  }()

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      if isStopped.value {
        unanswered.change { $0.append(client) }
        continue
      }
      guard let server = try? CuttingProxy.socket(at: target, { connect($2, $0, $1) == 0 }) else {
        _ = Glibc.close(client)
        continue
      }
      Thread.detachNewThread { self.pump(from: client, to: server, isRequest: true) }
      Thread.detachNewThread { self.pump(from: server, to: client, isRequest: false) }
    }
  }

  /// Hands bytes on until one side is closed, and ends both sides.
  private func pump(from source: Int32, to sink: Int32, isRequest: Bool) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    pumping: while true {
      var count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      if !isRequest, collectsAnswers.value {
        usleep(2_000)
        let added = buffer[count...].withUnsafeMutableBytes {
          recv(source, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        count += max(0, added)
      }
      if isRequest, buffer[0] == lostMessage.value { continue }
      if isRequest, pause.value > 0 { usleep(pause.value) }
      var bytes = buffer[..<count]
      if !isRequest, failsAfterCommits.value, let answer = bytes.firstRange(of: Self.committed) {
        bytes.insert(contentsOf: Self.error, at: answer.upperBound)
      }
      var written = 0
      while written < bytes.count {
        let step = bytes[written...].withUnsafeBytes {
          send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard step > 0 else { break pumping }
        written += step
      }
    }
    _ = shutdown(source, Int32(SHUT_RDWR))
    _ = shutdown(sink, Int32(SHUT_RDWR))
  }
}
