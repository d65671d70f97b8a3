import CSQLite
import Dflat
@testable import DflatEngine
import Testing

@testable import SQLiteDflat

@Suite("The cache of the dictionary keeps no value that the disk may not have")
struct DictionaryCacheTests {
  private let sequence = CommitSequence()
  private let cache = DictionaryCache()
  private let namespace: DictionaryNamespace
  private let key = DictionaryKey("k")
  private let stored = DictionaryEntry.Stored(value: .integer(0), row: 1)
  /// What stands for the WAL index.
  private let index = ForgedWALIndex()

  init() {
    namespace = cache.namespace("")
    sequence.watch(index.index)
    cache.watch(index.index)
    _ = cache.update(sequence)
  }

  private func set(_ value: Int64?) {
    _ = cache.set(value.map { .integer($0) }, for: key, of: namespace, isUpdated: false)
  }

  /// The number that the key is known to hold; nil if the disk has to be read.
  private var known: Int64? {
    guard case .some(.some(.integer(let value))) = cache.known(key, of: namespace) else { return nil }
    return value
  }

  /// Writes what is pending, as the connection that writes does.
  private func write(_ meanwhile: () -> Void = {}, thenOthers others: () -> Void = {}) {
    let changes = cache.takePending()
    meanwhile()
    sequence.beginWriting()
    index.commit()
    sequence.publish(.transactions([]), hasWritten: true)
    others()
    cache.endWriting(changes, rows: changes.map { _ in 1 })
  }

  @Test("A value that was set is known, written or not, until somebody else commits")
  func ownValue() {
    set(1)
    #expect(known == 1)
    write()
    _ = cache.update(sequence)
    #expect(known == 1 && !cache.hasPending)
    index.commit()
    #expect(known == nil)
    _ = cache.update(sequence)
    #expect(known == nil)
  }

  @Test("A commit of somebody else that comes right after an own one, and is noticed before that has ended, counts")
  func foreignCommitAfterOwn() {
    set(1)
    write(thenOthers: {
      index.commit()
      _ = cache.update(sequence)
    })
    _ = cache.update(sequence)
    #expect(known == nil)
  }

  @Test("A value that is set while the value before it is written stays pending")
  func setWhileWriting() {
    set(1)
    write { set(2) }
    #expect(known == 2 && cache.hasPending)
    write()
    _ = cache.update(sequence)
    #expect(known == 2 && !cache.hasPending)
  }

  @Test("A value that was read before a commit of another process is not kept after it")
  func readBeforeCommit() {
    let ticket = cache.update(sequence)
    set(1)
    write()
    #expect(!cache.keep([(key, stored)], of: namespace, ticket))
    let later = cache.update(sequence)
    #expect(cache.keep([(DictionaryKey("other"), .absent)], of: namespace, later))
    index.commit()
    #expect(!cache.keep([(key, stored)], of: namespace, later))
  }

  @Test("A transaction's key changes when its commit shows, before that has returned; if it fails, not at all")
  func transactionCommit() throws {
    set(1)
    write()
    _ = cache.update(sequence)
    let change = DictionaryChange(path: DictionaryPath(namespace: namespace.name, key: key), value: .integer(2))
    sequence.beginWriting()
    try cache.beginCommit([change], reads: DictionaryCache.TransactionReads())
    #expect(known == 1)
    index.commit()
    #expect(known == 2)
    sequence.publish(.transactions([]), hasWritten: true)
    #expect(known == 2)
    _ = cache.endCommit(hasCommitted: true)
    _ = cache.update(sequence)
    #expect(known == 2)
    try cache.beginCommit([DictionaryChange(path: change.path, value: nil)], reads: DictionaryCache.TransactionReads())
    _ = cache.endCommit(hasCommitted: false)
    #expect(known == 2)
  }

  @Test("A transaction is refused if a key was set since it has read it")
  func conflict() throws {
    var reads = DictionaryCache.TransactionReads()
    reads.keys[DictionaryPath(namespace: namespace.name, key: key)] = cache.pending(key, of: namespace).setCount
    try cache.beginCommit([], reads: reads)
    set(1)
    #expect(throws: SubmissionError.self) { try cache.beginCommit([], reads: reads) }
  }

  // MARK: Subscribers

  @Test("A thread that has read an older value of a key tells subscribers nothing after one with a newer value")
  func overtakenRead() {
    let path = DictionaryPath(namespace: namespace.name, key: key)
    let subscriber = DictionarySubscriber(path, tell: { _ in }, finish: {})
    func post(_ read: DictionaryCache.DiskRead, adding new: DictionarySubscriber? = nil) -> Bool {
      if case .posted = cache.post(path, adding: new, read: read) { true } else { false }
    }
    #expect(post(cache.beginRead(of: path, sequence).read(.integer(1)), adding: subscriber))
    index.commit()
    // Nobody else has committed between the beginnings, and somebody has between the readings.
    let earlier = cache.beginRead(of: path, sequence).read(.integer(2))
    let later = cache.beginRead(of: path, sequence).read(.integer(3))
    #expect(post(later))
    #expect(!post(earlier))
    #expect(post(cache.beginRead(of: path, sequence).read(.integer(3))))
    // What is read for subscribers of another time is no matter to those that come later.
    let forgotten = cache.beginRead(of: path, sequence).read(.integer(4))
    #expect(cache.remove(subscriber))
    let other = DictionarySubscriber(path, tell: { _ in }, finish: {})
    #expect(!post(forgotten, adding: other))
    #expect(post(cache.beginRead(of: path, sequence).read(.integer(5)), adding: other))
  }

  @Test("A new subscriber is not told a value that was read before this workspace has written the key")
  func readBeforeOwnWrite() {
    let path = DictionaryPath(namespace: namespace.name, key: key)
    let subscriber = DictionarySubscriber(path, tell: { _ in }, finish: {})
    let early = cache.beginRead(of: path, sequence).read(.integer(0))
    set(1)
    write()
    // Another process commits, so that the value in memory is no longer known to be the present one.
    index.commit()
    #expect(known == nil)
    func post(_ read: DictionaryCache.DiskRead) -> Bool {
      if case .posted = cache.post(path, adding: subscriber, read: read) { true } else { false }
    }
    #expect(!post(early))
    #expect(post(cache.beginRead(of: path, sequence).read(.integer(2))))
  }
}

@Suite("Keys keep their numbers")
struct DictionaryNamespaceTests {
  @Test("As many keys as there are, of any bytes, are found under the numbers that they got, and no others")
  func numbers() {
    let namespace = DictionaryNamespace(DictionaryKey(""))
    func key(_ number: Int) -> DictionaryKey {
      // The two forms of an é are two keys.
      DictionaryKey(number % 2 == 0 ? "\u{e9}\(number / 2)\0" : "e\u{301}\(number / 2)\0")
    }
    for number in 0..<5000 {
      #expect(namespace.number(of: key(number)) == nil)
      #expect(namespace.makeNumber(of: key(number)) == number)
      #expect(namespace.makeNumber(of: key(number / 2)) == number / 2)
    }
    #expect((0..<5000).allSatisfy { namespace.number(of: key($0)) == $0 && namespace.entries[$0].key == key($0) })
    #expect((5000..<10_000).allSatisfy { namespace.number(of: key($0)) == nil })
    namespace.removeAll()
    #expect(namespace.number(of: key(0)) == nil && namespace.makeNumber(of: key(7)) == 0)
  }
}
