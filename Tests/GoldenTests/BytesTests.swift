import Dflat
import FlatBuffersCore
import Foundation
import Golden_bytes
import Testing

@Suite("Fields that are structs of bytes")
struct BytesTests {
  private static let text = "0E37DF36-F698-11E6-8DD4-CB9CED3DF976"
  private static let bytes: [UInt8] = [
    0x0E, 0x37, 0xDF, 0x36, 0xF6, 0x98, 0x11, 0xE6, 0x8D, 0xD4, 0xCB, 0x9C, 0xED, 0x3D, 0xF9, 0x76,
  ]
  private let id: UUID

  init() throws { id = try #require(UUID(uuidString: Self.text)) }

  private var document: Document {
    Document(
      id: id, parent: id, owner: id, digest: Hash(bytes: Self.bytes + Self.bytes), tiny: Tiny(raw: [9]), name: id,
      raw: ID(bytes: Self.bytes), edge: Edge(at: 3, from: id, to: UUID(.empty), mark: Tiny(raw: [1])),
      version: Version(author: id, hash: Hash(bytes: Self.bytes + Self.bytes), parents: [id, UUID(.empty)]),
      origin: .edge(Edge(from: id)), friends: [id, id], hashes: [Hash(bytes: Self.bytes + Self.bytes)],
      links: [UUID(.empty)], edges: [Edge(from: id)])
  }

  @Test("An object reads back equal, with the bytes in the order of the UUID's text")
  func roundTrip() throws {
    let data = try document.toData()
    let copy = try Document(verifying: data)
    #expect(copy == document)
    let reader = try #require(DocumentReader(root: ByteBuffer(Array(data))))
    #expect(reader.id.map { Array($0.bytes) } == Self.bytes)
    #expect(reader.edge.map { Array($0.from.bytes) } == Self.bytes)
    #expect(reader.friends.map { Array($0.bytes) } == [Self.bytes, Self.bytes])
    #expect(reader.name == Self.text.lowercased())
    #expect(try copy.toData() == data)
  }

  @Test("A required UUID that is absent reads as zeros, and an optional one as nil")
  func absentStructs() throws {
    var builder = FlatBufferBuilder()
    builder.startTable(fieldCount: 1)
    try builder.finish(builder.endTable())
    let document = Document.from(byteBuffer: builder.finishedBuffer())
    #expect(document.id == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    #expect(document.owner == document.id)
    #expect(document.parent == nil && document.digest == nil && document.friends.isEmpty)
  }

  @Test("An update that only leaves the zeros at the end of an array out changes nothing")
  func arrayWithFewerElements() async throws {
    var builder = DocumentBuilder(document)
    builder.sum = Hash(bytes: [1])
    let stored = try Document(verifying: builder.build().toData())
    #expect(stored.sum?.bytes.count == 32)
    try await withWorkspace { workspace in
      let isIdentity = try await workspace.performChanges([Document.self]) { transaction -> Bool in
        try transaction.submit(DocumentChangeRequest.creationRequest(stored))
        let request = try #require(DocumentChangeRequest.changeRequest(stored))
        request.sum = Hash(bytes: [1])
        if case .identity = try transaction.submit(request) { return true }
        return false
      }
      #expect(isIdentity)
    }
  }

  @Test("In Codable, a UUID is its text, and another struct has its array")
  func coding() throws {
    let data = try JSONEncoder().encode(document)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["id"] as? String == Self.text)
    #expect(object["friends"] as? [String] == [Self.text, Self.text])
    #expect((object["tiny"] as? [String: Any])?["raw"] as? [Int] == [9])
    #expect((object["edge"] as? [String: Any])?["from"] as? String == Self.text)
    #expect(try JSONDecoder().decode(Document.self, from: data) == document)
  }

  @Test("Signed numbers and aligned bytes are no value: a query only finds a way through their structs")
  func otherArrays() {
    #expect(Document.signed._path == FieldPath.root.structure(at: 38))
    #expect(Document.aligned._path == FieldPath.root.structure(at: 40))
  }

  @Test("A struct of bytes is Hashable, and printed as its array")
  func hashing() {
    #expect(Set([Tiny(raw: [1]), Tiny(raw: [1]), Tiny(raw: [2])]).count == 2)
    #expect("\((Document.digest == Hash(bytes: [1]))._node)" == "(f12 == 0x01\(String(repeating: "00", count: 31)))")
    #expect("\((Document.id == id)._node)" == "(f4 == 0x\(Self.text.lowercased().replacing("-", with: "")))")
  }
}
