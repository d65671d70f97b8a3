import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Setting and reading keys of the dictionary, beside the SQLite C API on a table of keys and values, a Swift dictionary with a
/// lock, and Foundation's UserDefaults.
struct DictionaryBenchmark {
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter
  private static let count = 40_000
  private static let threadCount = 4
  private let names = (0..<Self.count).map { "settings.key.\($0)" }

  /// A small value that encodes itself.
  private struct Window: Codable, Equatable {
    var x: Int
    var y: Int
    var title: String
  }

  init(_ measurement: Measurement) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
  }

  func run() async throws {
    reporter.print(
      "the dictionary: \(Self.count) keys, beside SQLite's C API, a Swift dictionary with a lock, and UserDefaults")
    var timings = Timings(.dictionary)
    for round in 0..<rounds {
      let path = folder.appending(path: "keys-\(round).sqlite3").path
      let entries = RawEntries(names)
      guard let database = raw_keys_open(folder.appending(path: "raw-keys-\(round).sqlite3").path) else {
        throw BenchmarkError(description: "the C API cannot make a table of keys")
      }
      defer { raw_close(database) }
      try await set(path, database, entries, &timings)
      try await read(path, database, entries, &timings)
      try await encode(round, &timings)
      try await userDefaults(round, &timings)
    }
    try reporter.add(timings.row("set 40,000 Int, until on disk", to: "raw upserts in one transaction", reach: 2))
    try reporter.add(timings.row("set 40,000 Int, the calls alone", to: "raw upserts in one transaction"))
    try reporter.add(timings.row("set 40,000 Int anew, until on disk", to: "raw upserts of known keys", reach: 2))
    try reporter.add(timings.row("set 40,000 Int in a transaction, until on disk", to: "raw upserts of known keys"))
    try reporter.add(timings.row("set 40,000 Int on four threads, until on disk", to: "raw upserts in one transaction"))
    try reporter.add(timings.row("set one key 40,000 times, until on disk", to: "raw upserts of known keys"))
    try reporter.add(timings.row("read 40,000 Int, known", to: "a Swift dictionary with a lock", reach: 1.3))
    try reporter.add(timings.row("read 40,000 Int on four threads, known", to: "the same on four threads"))
    try reporter.add(timings.row("read 40,000 Int, from disk", to: "raw reads", reach: 1.2))
    try reporter.add(timings.row("load and read 40,000 Int", to: "raw reads"))
    try reporter.add(timings.row("set 40,000 Codable, until on disk", to: "encoding them, and raw upserts"))
    try reporter.add(timings.row("set 40,000 FlatBuffers, until on disk", to: "writing them, and raw upserts"))
    try reporter.add(timings.row("set 500 Int, until on disk", to: "UserDefaults: set and synchronize 500 Int"))
    try reporter.add(timings.row("read 500 Int, known", to: "UserDefaults: read 500 Int"))
  }

  private func check(_ isDone: Bool, _ what: String) throws {
    if !isDone { throw BenchmarkError(description: "the dictionary \(what)") }
  }

  private func open(_ path: String) -> SQLiteWorkspace {
    SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
  }

  // MARK: Setting

  private func set(
    _ path: String, _ database: UnsafeMutableRawPointer, _ entries: RawEntries, _ timings: inout Timings
  ) async throws {
    try check(
      timings.measure("raw upserts in one transaction") { entries.upsert(in: database) } == 0, "has no C API beside it")
    let workspace = open(path)
    let dictionary = workspace.dictionary
    let start = ContinuousClock.now
    for (number, name) in names.enumerated() { dictionary[name] = number }
    let called = ContinuousClock.now
    let isWritten = dictionary.synchronize()
    timings.record("set 40,000 Int, until on disk", ContinuousClock.now - start)
    timings.record("set 40,000 Int, the calls alone", called - start)
    try check(isWritten, "was not written")
    let newEntries = RawEntries(names, adding: 1)
    try check(
      timings.measure("raw upserts of known keys") { newEntries.upsert(in: database) } == 0, "has no C API beside it")
    timings.measure("set 40,000 Int anew, until on disk") {
      for (number, name) in names.enumerated() { dictionary[name] = number + 1 }
      dictionary.synchronize()
    }
    let isCommitted = await timings.measure("set 40,000 Int in a transaction, until on disk") {
      await workspace.performChanges([]) { [names] context in
        for (number, name) in names.enumerated() { context.dictionary[name] = number }
      }
    }
    try check(isCommitted, "was not committed")
    timings.measure("set one key 40,000 times, until on disk") {
      for number in 0..<Self.count { dictionary["one key"] = number }
      dictionary.synchronize()
    }
    try check(dictionary["one key"] == Self.count - 1 && dictionary.keys.count == Self.count + 1, "lost a key")
    await workspace.shutdown()
    let other = open(path + "-threads")
    timings.measure("set 40,000 Int on four threads, until on disk") {
      onThreads { number in other.dictionary[names[number]] = number }
      other.dictionary.synchronize()
    }
    try check(other.dictionary.keys.count == Self.count, "lost a key of four threads")
    await other.shutdown()
  }

  /// Calls `body` with each number, a quarter of them on each of four threads.
  private func onThreads(_ body: @escaping (Int) -> Void) {
    performOnThreads(Self.threadCount) { thread in
      for number in stride(from: thread, to: Self.count, by: Self.threadCount) { body(number) }
    }
  }

  // MARK: Reading

  private func read(
    _ path: String, _ database: UnsafeMutableRawPointer, _ entries: RawEntries, _ timings: inout Timings
  ) async throws {
    let expected = Self.count * (Self.count - 1) / 2
    let locked = LockedDictionary()
    for (number, name) in names.enumerated() { locked[name] = number }
    let workspace = open(path)
    let dictionary = workspace.dictionary
    // The first use opens the file.
    try check(dictionary["absent", Int.self] == nil, "found what is not there")
    let sums = [
      timings.measure("read 40,000 Int, from disk") { names.reduce(0) { $0 + dictionary[$1, default: 0] } },
      timings.measure("a Swift dictionary with a lock") { names.reduce(0) { $0 + (locked[$1] ?? 0) } },
      timings.measure("read 40,000 Int, known") { names.reduce(0) { $0 + dictionary[$1, default: 0] } },
    ]
    try check(sums.allSatisfy { $0 == expected }, "read something else than was set")
    let raw = timings.measure("raw reads") { entries.sum(in: database) }
    try check(raw == Int64(expected + Self.count), "has no C API beside it")
    timings.measure("the same on four threads") { onThreads { number in blackHole(locked[names[number]]) } }
    timings.measure("read 40,000 Int on four threads, known") {
      onThreads { number in blackHole(dictionary[names[number], Int.self]) }
    }
    await workspace.shutdown()
    let other = open(path)
    try check(other.dictionary["absent", Int.self] == nil, "found what is not there")
    let sum = timings.measure("load and read 40,000 Int") {
      other.dictionary.load()
      return names.reduce(0) { $0 + other.dictionary[$1, default: 0] }
    }
    try check(sum == expected, "loaded something else than was set")
    await other.shutdown()
  }

  // MARK: Values that encode themselves

  private func encode(_ round: Int, _ timings: inout Timings) async throws {
    let windows = (0..<Self.count).map { Window(x: $0, y: -$0, title: "Window \($0)") }
    let documents = (0..<Self.count).map { BenchDoc.sample($0, priority: Int32($0)) }
    guard let database = raw_keys_open(folder.appending(path: "raw-values-\(round).sqlite3").path) else {
      throw BenchmarkError(description: "the C API cannot make a table of keys")
    }
    defer { raw_close(database) }
    let workspace = open(folder.appending(path: "values-\(round).sqlite3").path)
    let (first, second) = (workspace.dictionary, workspace.dictionary.namespace("documents"))
    try timings.measure("encoding them, and raw upserts") {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      let entries = RawEntries(names, try windows.map { Array(try encoder.encode($0)) })
      try check(entries.upsert(in: database) == 0, "has no C API beside it")
    }
    timings.measure("set 40,000 Codable, until on disk") {
      for (name, window) in zip(names, windows) { first[name] = window }
      first.synchronize()
    }
    try timings.measure("writing them, and raw upserts") {
      let entries = RawEntries(names.map { "documents." + $0 }, documents.map { Array($0.toData()) })
      try check(entries.upsert(in: database) == 0, "has no C API beside it")
    }
    timings.measure("set 40,000 FlatBuffers, until on disk") {
      for (name, document) in zip(names, documents) { second[name] = document }
      second.synchronize()
    }
    try check(first.keys.count == Self.count && second.keys.count == Self.count, "lost a value")
    await workspace.shutdown()
  }

  // MARK: UserDefaults

  /// Of fewer keys: on Linux, Foundation takes a time for each setting that grows with the number of keys.
  private func userDefaults(_ round: Int, _ timings: inout Timings) async throws {
    let suite = "dflat-benchmarks-\(getpid())-\(round)"
    guard let defaults = UserDefaults(suiteName: suite) else { return }
    let names = names.prefix(500)
    timings.measure("UserDefaults: set and synchronize 500 Int") {
      for (number, name) in names.enumerated() { defaults.set(number, forKey: name) }
      _ = defaults.synchronize()
    }
    timings.measure("UserDefaults: read 500 Int") {
      for name in names { blackHole(defaults.integer(forKey: name)) }
    }
    defaults.removePersistentDomain(forName: suite)
    let workspace = open(folder.appending(path: "few-keys-\(round).sqlite3").path)
    let dictionary = workspace.dictionary
    timings.measure("set 500 Int, until on disk") {
      for (number, name) in names.enumerated() { dictionary[name] = number }
      dictionary.synchronize()
    }
    timings.measure("read 500 Int, known") {
      for name in names { blackHole(dictionary[name, Int.self]) }
    }
    try check(dictionary.keys.count == names.count, "lost a key")
    await workspace.shutdown()
  }
}

/// Keeps the optimizer from leaving out what computes a value.
@inline(never)
private func blackHole(_ value: Int?) {}

/// What an app without a store would use.
private final class LockedDictionary: @unchecked Sendable {
  // Unchecked because the values are guarded by the lock.
  private let lock = NSLock()
  private var values: [String: Int] = [:]

  subscript(key: String) -> Int? {
    get { lock.withLock { values[key] } }
    set { lock.withLock { values[key] = newValue } }
  }
}

/// Keys and values for the C side, which borrows their bytes.
private final class RawEntries {
  private var entries: [raw_entry] = []
  private var memory: [UnsafeMutableRawBufferPointer] = []

  init(_ names: [String], adding increment: Int = 0) {
    for (number, name) in names.enumerated() { add(name, number: number + increment, nil) }
  }

  init(_ names: [String], _ values: [[UInt8]]) {
    for (name, value) in zip(names, values) { add(name, number: 0, value) }
  }

  deinit {
    for bytes in memory { bytes.deallocate() }
  }

  private func add(_ name: String, number: Int, _ value: [UInt8]?) {
    let key = copy(Array(name.utf8))
    let bytes = value.map { copy($0) }
    entries.append(
      raw_entry(
        key: UnsafePointer(key.baseAddress?.assumingMemoryBound(to: CChar.self)), key_length: Int32(key.count),
        number: Int64(number), bytes: UnsafeRawPointer(bytes?.baseAddress), byte_count: Int32(bytes?.count ?? 0)))
  }

  private func copy(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    memory.append(copy)
    return copy
  }

  func upsert(in database: UnsafeMutableRawPointer) -> Int32 {
    raw_keys_upsert(database, entries, Int32(entries.count))
  }

  func sum(in database: UnsafeMutableRawPointer) -> Int64 { raw_keys_read(database, entries, Int32(entries.count)) }
}
