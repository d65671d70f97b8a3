import CSQLite
import Dflat
import FlatBuffersCore
import Foundation
import FuzzSupport
import Golden_contents
import SQLiteDflat

/// Any bytes as a row of a store, which another program has written. For one thread.
public final class RowsJob {
  private let folder: URL
  private let workspace: SQLiteWorkspace
  private let errors = ErrorCount()
  private let connection: OpaquePointer
  private let update: OpaquePointer

  /// Creates a store with one row, in a folder of its own.
  ///
  /// - Throws: if that fails.
  public init() throws(Mistake) {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-fuzz-\(UUID().uuidString)")
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw Mistake("no folder: \(error)")
    }
    let path = folder.appendingPathComponent("store.sqlite3").path
    workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { [errors] _ in errors.add() }
    let done = DispatchSemaphore(value: 0)
    workspace.performChanges([Page.self]) { context in
      context.try(submit: PageChangeRequest.creationRequest(Page(number: 1, extras: [], letter: [])))
    } completionHandler: { _ in
      done.signal()
    }
    done.wait()
    (connection, update) = try RowsJob.writer(path)
  }

  deinit {
    sqlite3_finalize(update)
    sqlite3_close(connection)
    workspace.shutdown()
    // What is left behind of a folder for temporary files does no harm.
    try? FileManager.default.removeItem(at: folder)
  }

  /// A connection of another program, and its statement that replaces the row.
  private static func writer(_ path: String) throws(Mistake) -> (OpaquePointer, OpaquePointer) {
    var connection: OpaquePointer?
    var update: OpaquePointer?
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let connection,
      // Nothing of it is worth the wait for a disk.
      sqlite3_exec(connection, "PRAGMA synchronous = OFF", nil, nil, nil) == SQLITE_OK,
      sqlite3_prepare_v2(connection, "UPDATE page SET p = ? WHERE __pk0 = 1", -1, &update, nil) == SQLITE_OK,
      let update
    else { throw Mistake("no second connection") }
    return (connection, update)
  }

  /// Stores `bytes` as the row, and asks for it in several ways.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public func run(_ bytes: [UInt8]) throws(Mistake) {
    try write(bytes)
    let table = workspace.fetch(for: Page.self)
    errors.reset()
    let pages = table.where(Page.number == 1)
    guard pages.count + errors.count == 1 else {
      throw Mistake("\(pages.count) rows come, and \(errors.count) errors are reported")
    }
    let page = pages.first
    if Page.verify(byteBuffer: ByteBuffer(bytes)), page == nil, bytes.count < 1024 {
      // Larger ones may be valid and refer to the same bytes too often.
      throw Mistake("a valid row does not come")
    }
    if let page {
      guard try RowsJob.isSame(page, Page.from(byteBuffer: ByteBuffer(bytes))) else {
        throw Mistake("a row is another object than its bytes")
      }
    }
    // A predicate reads fields in the bytes. It must find what the decoded object says.
    let found = table.where(Page.letterRoot > 5)
    if let page, found.isEmpty == (page.letterRoot > 5) { throw Mistake("a query by a number finds another row") }
    _ = table.where(Page.cover.match(Note.self) || Page.letterRoot == 7)
  }

  private func write(_ bytes: [UInt8]) throws(Mistake) {
    defer { sqlite3_reset(update) }
    let bound = bytes.withUnsafeBytes { buffer in
      // Without a copy: the row is written before the pointer ends.
      guard sqlite3_bind_blob(update, 1, buffer.baseAddress, CInt(buffer.count), nil) == SQLITE_OK else { return false }
      return sqlite3_step(update) == SQLITE_DONE
    }
    guard bound, sqlite3_changes(connection) == 1 else { throw Mistake("the row is not written") }
  }

  /// Whether both have the same values, among which may be numbers that are not equal to themselves.
  private static func isSame(_ first: Page, _ second: Page) throws(Mistake) -> Bool {
    first == second || "\(first._values)" == "\(second._values)"
  }
}
