import DflatEngine
import EngineTestSupport
import Dflat
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Commit versions rise with every commit, and belong to one sequence")
struct CommitSequenceTests {
  private static let post = ObjectIdentifier(Post._record)

  @Test("A commit begins the next version")
  func commit() {
    let sequence = CommitSequence()
    let first = sequence.version
    sequence.publish(.transactions([]), hasWritten: true)
    #expect(sequence.version == first + 1)
    sequence.publish(.transactions([]), hasWritten: true)
    #expect(sequence.version == first + 2)
  }

  @Test("A version of another sequence, and 0, is of none")
  func ownVersions() {
    let sequence = CommitSequence()
    let other = CommitSequence()
    #expect(sequence.isOwn(sequence.version) && other.isOwn(other.version))
    #expect(!sequence.isOwn(other.version) && !other.isOwn(sequence.version))
    #expect(!sequence.isOwn(0))
    for _ in 0..<1000 { sequence.publish(.transactions([]), hasWritten: true) }
    #expect(sequence.isOwn(sequence.version) && !other.isOwn(sequence.version))
  }

  @Test("Without a WAL index a row is not known to be unchanged, unless this workspace is writing")
  func withoutAnIndex() {
    let sequence = CommitSequence()
    let version = sequence.version
    #expect(!sequence.isUnchanged(Self.post, 1, since: version))
    sequence.beginWriting()
    #expect(sequence.isUnchanged(Self.post, 1, since: version))
    #expect(!sequence.isUnchanged(Self.post, 1, since: 0))
    #expect(!sequence.isUnchanged(Self.post, 1, since: CommitSequence().version))
    sequence.publish(.transactions([]), hasWritten: true)
    #expect(!sequence.isUnchanged(Self.post, 1, since: version))
  }

  @Test("A commit of this workspace changes only its rows, one of another workspace may have changed any")
  func foreignCommits() {
    let index = ForgedWALIndex()
    let sequence = CommitSequence()
    sequence.watch(index.index)
    let first = sequence.version
    #expect(sequence.isUnchanged(Self.post, 1, since: first))

    sequence.beginWriting()
    sequence.noteChanges { rows, version in rows.noteChange(of: Self.post, 1, at: version) }
    index.commit()
    sequence.publish(.transactions([]), hasWritten: true)
    #expect(!sequence.isUnchanged(Self.post, 1, since: first))
    #expect(sequence.isUnchanged(Self.post, 2, since: first))
    #expect(sequence.isUnchanged(Self.post, 1, since: sequence.version))
    #expect(sequence.lookForForeignCommits() == 0)
    #expect(!sequence.hasForeignWriter)

    let second = sequence.version
    index.commit()
    #expect(!sequence.isUnchanged(Self.post, 2, since: second))
    #expect(sequence.lookForForeignCommits() == 1)
    #expect(sequence.foreignCommits == 1)
    #expect(sequence.hasForeignWriter)
    #expect(sequence.version > second)
    // Noticed once.
    #expect(sequence.lookForForeignCommits() == 1)
    #expect(!sequence.isUnchanged(Self.post, 2, since: second))
    #expect(sequence.isUnchanged(Self.post, 2, since: sequence.version))
    // A header that is being written says nothing.
    index.beginCommit()
    #expect(!sequence.isUnchanged(Self.post, 2, since: sequence.version))
    sequence.watch(nil)
  }

  @Test("After a rollback, no row that was read before counts as unchanged")
  func rollback() {
    let sequence = CommitSequence()
    sequence.beginWriting()
    let version = sequence.version
    #expect(sequence.isUnchanged(Self.post, 1, since: version))
    sequence.forgetChanges()
    #expect(!sequence.isUnchanged(Self.post, 1, since: version))
    #expect(sequence.isUnchanged(Self.post, 1, since: sequence.version))
    sequence.endWriting()
  }

  private final class Listener: CollectingListener {
    let versions = Collected<UInt64>()

    func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64) { versions.append(version) }

    func othersHaveCommitted(version: UInt64) { Issue.record("nobody else commits") }
  }

  @Test("A listener hears each commit while it listens, and none before or after")
  func listenerBesideCommits() {
    let sequence = CommitSequence()
    let isOver = Gate()
    let committing = BackgroundThreads(1) { _ in
      while !isOver.isOpen { sequence.publish(.transactions([]), hasWritten: true) }
    }
    for _ in 0..<2_000 {
      let listener = Listener()
      let before = sequence.version
      sequence.setListener(listener)
      sequence.setListener(nil)
      let after = sequence.version
      let versions = listener.versions.values
      guard let first = versions.first, let last = versions.last else { continue }
      #expect(versions == Array(first..<first + UInt64(versions.count)), "none is left out or told twice")
      #expect(first > before && last <= after)
    }
    isOver.open()
    #expect(committing.end())
    #expect(!sequence.hasListener)
    let listener = Listener()
    sequence.setListener(listener)
    sequence.publish(.transactions([]), hasWritten: true)
    #expect(listener.versions.values == [sequence.version])
  }
}
