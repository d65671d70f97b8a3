import EngineTestSupport
import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// A socket between a workspace and the server that cuts each connection after a random number of bytes, in the midst of a message or not.
final class ByteCuttingProxy: Sendable {
  /// The folder of the socket, for connection strings.
  let folder: String
  private let listener: Int32
  private let target: String
  private let random: Locked<SeededGenerator>
  private let cuts = Locked(0)

  /// How many connections were cut.
  var count: Int { cuts.value }

  init(_ server: PostgresServer, seed: Int) throws {
    folder = "/tmp/dflat-bytes-\(UUID().uuidString.prefix(8))"
    target = server.socketFolder + "/.s.PGSQL.5432"
    random = Locked(SeededGenerator(seed: seed))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = try CuttingProxy.socket(at: folder + "/.s.PGSQL.5432") { address, length, socket in
      bind(socket, address, length) == 0 && listen(socket, 64) == 0
    }
    Thread.detachNewThread { self.accept() }
  }

  func close() {
    _ = shutdown(listener, Int32(SHUT_RDWR))
    _ = Glibc.close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard let server = try? CuttingProxy.socket(at: target, { connect($2, $0, $1) == 0 }) else {
        _ = Glibc.close(client)
        continue
      }
      // One of both directions is cut first. Some end while they connect, most after some transactions.
      let (sent, answered) = random.change { random in
        (random.next(random.once(in: 4) ? 300 : 20_000), random.next(random.once(in: 4) ? 600 : 60_000))
      }
      let ends = Locked(0)
      for (source, sink, budget) in [(client, server, sent), (server, client, answered)] {
        Thread.detachNewThread {
          self.pump(from: source, to: sink, budget)
          // A socket is closed when nobody uses it any more, or else its number might be another one's.
          let isLast = ends.change { ends in
            ends += 1
            return ends == 2
          }
          guard isLast else { return }
          _ = Glibc.close(client)
          _ = Glibc.close(server)
        }
      }
    }
  }

  /// Hands bytes on until one side is closed, or so many have come, and ends both sides.
  private func pump(from source: Int32, to sink: Int32, _ budget: Int) {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    var left = budget
    while left > 0 {
      let count = read(source, &buffer, min(buffer.count, left))
      guard count > 0 else { break }
      left -= count
      var written = 0
      while written < count {
        let step = buffer[written..<count].withUnsafeBytes {
          send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard step > 0 else { break }
        written += step
      }
      if written < count { break }
    }
    if left == 0 { cuts.change { $0 += 1 } }
    _ = shutdown(source, Int32(SHUT_RDWR))
    _ = shutdown(sink, Int32(SHUT_RDWR))
  }
}
