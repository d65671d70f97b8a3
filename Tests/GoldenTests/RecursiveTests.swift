import Dflat
import FlatBuffersCore
import Foundation
import Golden_recursive
import SQLiteDflat
import Testing

@Suite("The output for tables that hold others of their kind, compiled and run")
struct RecursiveTests {
  private let small = Outline(
    id: 1,
    first: Node(name: "a", next: Node(name: "b", children: [Node(name: "c", next: Node())])),
    pair: Pair(left: Side(number: 1), right: Side(number: 2, pair: Pair(left: Side(number: 3)))),
    term: .sum(Sum(left: .number(Number(value: 1)), right: .sum(Sum(right: .number(Number(value: 2)))))),
    parent: Outline(id: 2, parent: Outline(id: 3)))

  /// `count` nodes, each the next of the one before.
  private func chain(_ count: Int) -> Node {
    var node = Node(name: "last")
    for _ in 1..<count { node = Node(next: node) }
    return node
  }

  /// `count` sums, each in the one before.
  private func sums(_ count: Int) -> Term {
    var term = Term.number(Number(value: 1))
    for _ in 0..<count { term = .sum(Sum(left: term)) }
    return term
  }

  @Test("Objects are unchanged after encoding and decoding")
  func objectsSurviveTheirBytes() throws {
    let data = try small.toData()
    #expect(Outline.from(data: data) == small)
  }

  @Test("Objects are unchanged after encoding to JSON and decoding")
  func objectsSurviveJSON() throws {
    let data = try JSONEncoder().encode(small)
    #expect(try JSONDecoder().decode(Outline.self, from: data) == small)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(Node(next: Node(name: "x"))), as: UTF8.self)
    #expect(text == #"{"children":[],"next":{"children":[],"name":"x"}}"#)
  }

  @Test("Changing a copy of a nested value leaves the original unchanged")
  func copiesAreIndependent() {
    let first = chain(3)
    var second = first
    second.next?.next?.name = "changed"
    #expect(first.next?.next?.name == "last")
    #expect(second.next?.next?.name == "changed")
    #expect(first != second)
    second.next?.next?.name = "last"
    #expect(first == second)
    second.next = nil
    #expect(first.next != nil)
    #expect(second == Node())
  }

  @Test("Objects are stored, queried by nested fields and changed")
  func objectsAreStoredQueriedAndChanged() async throws {
    try await withWorkspace { workspace in
      #expect(
        await workspace.performChanges([Outline.self]) { transaction in
          transaction.try(submit: OutlineChangeRequest.creationRequest(small))
          transaction.try(submit: OutlineChangeRequest.creationRequest(Outline(id: 9)))
        })
      let named = workspace.fetch(for: Outline.self).where(Outline.first.next.name == "b")
      #expect(named.map(\.id) == [1])
      let numbered = workspace.fetch(for: Outline.self).where(Outline.pair.right.pair.left.number == 3)
      #expect(Array(numbered) == [small])
      #expect(
        await workspace.performChanges([Outline.self]) { transaction in
          guard let request = OutlineChangeRequest.changeRequest(small) else { return }
          request.first?.next?.name = "z"
          transaction.try(submit: request)
        })
      let found = workspace.fetch(for: Outline.self).where(Outline.id == 1)
      #expect(found.first?.first?.next?.name == "z")
    }
  }

  @Test("Tables nested as deep as a verifier reads are written")
  func asDeepAsAVerifierReadsIsWritten() throws {
    // The outline itself is one table, the number at the end of the sums another.
    let limit = FlatBufferBuilder.maximumDepth
    for deep in [
      Outline(id: 1, first: chain(limit - 1)), Outline(id: 1, term: sums(limit - 2)),
      Outline(id: 1, pair: Pair(left: Side(pair: Pair(left: Side())))),
    ] {
      #expect(try Outline.from(data: deep.toData()) == deep)
    }
  }

  @Test("Tables nested deeper than the limit throw tooDeep when they are written")
  func whatIsDeeperIsAnErrorAndNotCutOff() throws {
    let limit = FlatBufferBuilder.maximumDepth
    let parents = (0...limit).reduce(Outline(id: 0)) { Outline(id: Int32($1), parent: $0) }
    var tree = Node()
    for _ in 0...limit { tree = Node(children: [Node(), tree]) }
    for deep in [
      Outline(id: 1, first: chain(limit)), Outline(id: 1, first: chain(10_000)), Outline(id: 1, term: sums(limit - 1)),
      Outline(id: 1, term: sums(10_000)), parents, Outline(id: 1, first: tree),
    ] {
      #expect {
        try deep.toData()
      } throws: { error in
        guard case .tooDeep(_, limit)? = error as? FlatBufferError else { return false }
        return true
      }
    }
  }

  @Test("A builder that failed works again after clear")
  func aBuilderThatFailedIsAsGoodAsNew() throws {
    var builder = FlatBufferBuilder()
    _ = chain(1000).to(flatBufferBuilder: &builder)
    builder.clear()
    let root = small.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    #expect(Outline.from(byteBuffer: builder.finishedBuffer()) == small)
  }

  @Test("Releasing a million nested values does not overflow a stack of 512 KiB")
  func releasingAMillionNestedObjectsDoesNotOverflowTheStack() async throws {
    // On a thread with the least stack that there is: what fits there fits everywhere.
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        var kept = chain(1_000_000)
        let other = kept
        kept = Node()
        #expect(other.next?.next != nil)
        _ = sums(1_000_000)
        done.resume()
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
  }

  @Test("Releasing a chain of indirect values releases each of them")
  func releasedObjectsAreReleased() {
    final class Canary: Sendable {}
    weak var canary: Canary?
    do {
      struct Link { @Indirect var next: Link?; let canary: Canary }
      let bird = Canary()
      canary = bird
      var link = Link(next: nil, canary: bird)
      for _ in 0..<1000 { link = Link(next: link, canary: Canary()) }
      #expect(canary != nil)
    }
    #expect(canary == nil)
  }

  @Test("Encoding tables nested 10,000 deep to JSON throws")
  func encodingWhatIsNestedTooDeeplyIsAnError() throws {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(chain(10_000)) }
    let deep = chain(100)
    #expect(try JSONDecoder().decode(Node.self, from: JSONEncoder().encode(deep)) == deep)
  }

  @Test("A chain of bytes beyond the limit is refused by verify and read down to the limit")
  func theBytesOfACircleAreReadToALimit() throws {
    // A chain whose last node's next is the first: the offset from the field back to the table would be negative, which
    // none can be. So the deepest that bytes can be is a chain as long as they are; it is cut at the reader's limit.
    var builder = FlatBufferBuilder()
    var node = NodeReader.create(in: &builder)
    for _ in 0..<10_000 { node = NodeReader.create(in: &builder, next: node) }
    try builder.finish(node)
    let bytes = builder.finishedBuffer()
    #expect(!Node.verify(byteBuffer: bytes))
    var depth = 0
    var found: Node? = Node.from(byteBuffer: bytes)
    while let node = found {
      depth += 1
      found = node.next
    }
    #expect(depth == FlatBufferWindow.maximumDepth)
  }
}
