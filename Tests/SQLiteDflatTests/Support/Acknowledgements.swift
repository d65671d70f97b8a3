#if os(Linux)
  import EngineTestSupport
  import Foundation
  import Testing

  /// A file in which a process notes the transactions that were completed with true, before it is killed.
  struct Acknowledgements {
    let path: String

    /// What the processes have noted.
    var numbers: [Int64] {
      let notes = FileManager.default.contents(atPath: path) ?? Data()
      return notes.withUnsafeBytes { bytes in
        stride(from: 0, through: bytes.count - 8, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self) }
      }
    }

    /// Opens the file, for the process that is to be killed.
    func open() -> Writer { Writer(path) }

    struct Writer: Sendable {
      private let file: Int32

      fileprivate init(_ path: String) {
        file = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        precondition(file >= 0)
      }

      /// Notes a number. What is written survives the process: it is with the system.
      func note(_ number: Int) {
        var noted = Int64(number)
        precondition(Glibc.write(file, &noted, 8) == 8)
      }
    }

    /// Expects that each `Thing` of a store has its index entries.
    static func expectEntries(_ path: String, _ comment: Comment) throws {
      for key in ["f8", "f10", "f12", "f14"] {
        let missing =
          "SELECT count(*) FROM test__thing_v1_1 WHERE rowid NOT IN (SELECT rowid FROM test__thing_v1_1__\(key))"
        #expect(try PlainSQL.run(missing, in: path) == [["0"]], comment)
      }
    }
  }
#endif
