import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What an operation of a client of the ledger stores.
enum LedgerEffect: Codable, Equatable, Sendable {
  /// A version of a chain, whose hash covers that of the version before.
  case append(chain: Int, index: Int, hash: String)
  /// Money, from one account to another.
  case transfer(from: Int64, to: Int64, amount: Int64)
  /// An order with a number that no other order has.
  case open(order: Int64)
  /// The one trade of an order.
  case fill(order: Int64)
}

/// A line in the log of a client.
struct LedgerEntry: Codable, Equatable, Sendable {
  enum Outcome: String, Codable {
    /// The transaction was asked for. Without another line of the operation, nothing is known of its end.
    case begun
    /// It was acknowledged.
    case stored
    /// It was reported as failed.
    case refused
    /// The workspace could not find out whether it is stored.
    case unknown
    /// It was a snapshot, which stores nothing.
    case observed
    /// A subscriber was told of a state.
    case told
  }

  var operation: Int64
  var outcome: Outcome
  /// What the closure has submitted, in the run that was stored.
  var effect: LedgerEffect?
  /// The versions of chains that were seen, by their titles, and states of orders.
  var seen: [String] = []
  /// The money of all accounts that a snapshot has seen.
  var total: Int64?
  /// What the client itself has found wrong.
  var problem: String?
  /// Why the transaction was not reported as stored: what each run of its closure has done, and the error.
  var reason: String?
}

/// The log of a worker of a client: a file to which each line is written before the worker goes on.
struct LedgerLog: Sendable {
  private let file: Int32

  /// - Parameter path: the file, which is made if there is none.
  init(_ path: String) throws {
    file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Writes a line. It survives the process, since the system has it.
  func write(_ entry: LedgerEntry) throws {
    let line = Array(try JSONEncoder().encode(entry)) + [UInt8(ascii: "\n")]
    guard Glibc.write(file, line, line.count) == line.count else { throw CocoaError(.fileWriteUnknown) }
  }

  func close() { _ = Glibc.close(file) }

  /// The lines of all logs in a folder.
  static func read(_ folder: URL) throws -> [LedgerEntry] {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try files.filter { $0.pathExtension == "log" }.flatMap { file in
      try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
        try JSONDecoder().decode(LedgerEntry.self, from: Data($0))
      }
    }
  }
}

/// The orders of the book.
enum LedgerBook {
  /// A state of an order: minus the operation that has opened it, or the one that has filled it.
  static func mark(_ order: Int64, _ value: Int64) -> String { "o\(order).\(value)" }
}

/// How the versions of a chain are named and hashed.
enum LedgerChain {
  static let count = 3

  static func title(_ chain: Int, _ index: Int, _ operation: Int64) -> String {
    let number = "\(index)"
    return "c\(chain)." + String(repeating: "0", count: 8 - number.count) + number + ".\(operation)"
  }

  /// The hash of a version, which covers that of the version before (FNV-1a).
  static func hash(after former: String, _ chain: Int, _ index: Int, _ operation: Int64) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(former)|\(title(chain, index, operation))".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}

/// The accounts of the bank.
enum LedgerBank {
  static let accounts: Range<Int64> = 1..<7
  static let initial: Int64 = 1_000
  static var total: Int64 { Int64(accounts.count) * initial }
}
