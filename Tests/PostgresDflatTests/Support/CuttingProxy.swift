import EngineTestSupport
import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// A socket between a workspace and the server that cuts one connection at a message: at the first that stores a row and commits, or
/// at one of a certain number.
final class CuttingProxy: Sendable {
  enum Cut: Sendable, CaseIterable {
    /// The server never gets the message.
    case before
    /// The server has done what it says, and its answer is lost.
    case after
    /// The server has done what it says, and instead of its answer comes what a pooler sends when a backend has ended: it closes its
    /// socket later.
    case farewell
  }

  /// The folder of the socket, for connection strings.
  let folder: String
  private let listener: Int32
  private let target: String
  private let cut: Cut
  private let hasCut = Locked(false)
  /// How many messages go through before the one at which the connection is cut; nil if that is the one which commits.
  private let left: Locked<Int?>

  /// Whether a connection was cut.
  var isCut: Bool { hasCut.value }

  /// - Parameter isAtCommit: whether it cuts where a row is stored; if not, `cut(afterMessages:)` says where.
  init(_ server: PostgresServer, _ cut: Cut, atCommit isAtCommit: Bool = true) throws {
    left = Locked(isAtCommit ? nil : .max)
    folder = "/tmp/dflat-cut-\(UUID().uuidString.prefix(8))"
    target = server.socketFolder + "/.s.PGSQL.5432"
    self.cut = cut
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = try CuttingProxy.socket(at: folder + "/.s.PGSQL.5432") { address, length, socket in
      bind(socket, address, length) == 0 && listen(socket, 16) == 0
    }
    Thread.detachNewThread { self.accept() }
  }

  /// Has the connection cut that sends a message after so many others.
  func cut(afterMessages count: Int) {
    hasCut.value = false
    left.value = count
  }

  func close() {
    _ = shutdown(listener, Int32(SHUT_RDWR))
    _ = Glibc.close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  static func socket(
    at path: String, _ use: (UnsafePointer<sockaddr>, socklen_t, Int32) -> Bool
  ) throws -> Int32 {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = Glibc.socket(AF_UNIX, Int32(type), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let isUsed = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use($0, socklen_t(MemoryLayout<sockaddr_un>.size), descriptor)
      }
    }
    guard descriptor >= 0, isUsed else {
      let reason = errno
      // While a server is down, thousands of attempts to reach it fail.
      if descriptor >= 0 { _ = Glibc.close(descriptor) }
      throw ProgramFailure("no socket at \(path): \(reason)")
    }
    return descriptor
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard let server = try? CuttingProxy.socket(at: target, { connect($2, $0, $1) == 0 }) else {
        _ = Glibc.close(client)
        continue
      }
      let isAnswerLost = Locked(false)
      Thread.detachNewThread { self.pump(from: client, to: server, isAnswerLost) }
      Thread.detachNewThread { self.pump(from: server, to: client, isAnswerLost, isAnswer: true) }
    }
  }

  /// Hands bytes on until one side is closed, and closes the other.
  private func pump(from source: Int32, to sink: Int32, _ isAnswerLost: Locked<Bool>, isAnswer: Bool = false) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    pumping: while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      let bytes = buffer[..<count]
      if isAnswer {
        // The answer has come, so that the server has committed; nobody gets it.
        if isAnswerLost.value {
          guard cut == .farewell else { break }
          _ = CuttingProxy.farewell.withUnsafeBytes { send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
          // The other direction ends when the client closes its socket.
          return
        }
      } else if isMeant(bytes), takeTurn() {
        switch cut {
        case .before: break pumping
        case .after, .farewell: isAnswerLost.value = true
        }
      }
      var rest = bytes
      while !rest.isEmpty {
        // A client or a session may be gone: a signal would end the process of all tests.
        let written = rest.withUnsafeBytes { send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard written > 0 else { break pumping }
        rest = rest.dropFirst(written)
      }
    }
    _ = shutdown(source, Int32(SHUT_RDWR))
    _ = shutdown(sink, Int32(SHUT_RDWR))
  }

  /// Two messages of the server that end a session.
  private static let farewell: [UInt8] = {
    let fields = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection due to administrator command"]
    let body = Array(fields.joined(separator: "\0").utf8) + [0, 0]
    let message: [UInt8] = [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 4)] + body
    return message + message
  }()

  /// Whether the connection is to be cut at a message.
  private func isMeant(_ bytes: ArraySlice<UInt8>) -> Bool {
    left.change { left in
      // Rows that are to be stored are sent with the end of their transaction.
      guard let count = left else { return contains(bytes, Array("INSERT INTO".utf8)) }
      if count > 0, count < .max { left = count - 1 }
      return count == 0
    }
  }

  /// Whether none has been cut.
  private func takeTurn() -> Bool {
    hasCut.change { hasCut in
      defer { hasCut = true }
      return !hasCut
    }
  }

  private func contains(_ bytes: ArraySlice<UInt8>, _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }
}
