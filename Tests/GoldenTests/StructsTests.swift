import Dflat
import FlatBuffersCore
import Foundation
import Golden_structs
import SQLiteDflat
import TestSupport
import Testing

@Suite("The output for structs, sets of bits and unions of structs, compiled and run")
struct StructsTests {
  private let runner = Body(
    id: 1, origin: Vec3(x: 1, y: 2, z: 3),
    pose: Pose(
      position: Vec3(x: 0.5, y: -1, z: 1e10), axis: .Z, abilities: [.walk, .fly], stamp: .max, codes: [1, 2, 65535],
      axes: [.Y, .Z], corners: [Vec3(x: 9), Vec3(z: 8)]),
    big: Big(value: 3.25), abilities: [.swim], maybe: [.walk, .swim, .fly], path: [Vec3(x: 1), Vec3(y: 2)],
    allAbilities: [[], .fly, [.walk, .swim]], payload: .vec3(Vec3(x: 7, y: 8, z: 9)))
  private let plain = Body(id: 2, origin: Vec3())
  private let noted = Body(id: 3, origin: Vec3(x: -1), payload: .note(Note(text: "hello")))
  private let large = Body(id: 4, origin: Vec3(), payload: .big(Big(value: 2)))

  private func bytes(_ body: Body) throws -> ByteBuffer {
    var builder = FlatBufferBuilder()
    let root = body.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.finishedBuffer()
  }

  @Test("A new object has the defaults of the schema")
  func defaultsAreThoseOfTheSchema() {
    #expect(plain.abilities == [.walk, .fly])
    #expect(plain.maybe == nil)
    #expect(plain.pose == nil)
    #expect(Pose().codes == [0, 0, 0])
  }

  @Test("Objects are unchanged after encoding and decoding")
  func objectsSurviveTheirBytes() throws {
    for body in [runner, plain, noted, large] {
      let bytes = try bytes(body)
      #expect(Body.verify(byteBuffer: bytes))
      #expect(Body.from(byteBuffer: bytes) == body)
    }
  }

  @Test("The accessors read what the data model has written")
  func accessorsReadWhatTheDataModelWrote() throws {
    let reader = try #require(BodyReader(root: try bytes(runner)))
    #expect(reader.pose?.position.z == 1e10)
    #expect(reader.pose?.abilities == [.walk, .fly])
    #expect(reader.pose.map { Array($0.codes) } == [1, 2, 65535])
    #expect(reader.path.map(\.y) == [0, 2])
    guard case .vec3(let payload)? = reader.payload else {
      Issue.record("the payload is no Vec3")
      return
    }
    #expect(payload.y == 8)
  }

  @Test("A struct that is the root of a buffer is unchanged after encoding and decoding")
  func aStructAloneSurvivesItsBytes() throws {
    var builder = FlatBufferBuilder()
    let vector = Vec3(x: 1, y: 2, z: 3)
    let root = vector.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    #expect(Vec3.verify(byteBuffer: builder.finishedBuffer()))
    #expect(Vec3.from(byteBuffer: builder.finishedBuffer()) == vector)
    #expect(!Vec3.verify(byteBuffer: ByteBuffer([8, 0, 0, 0, 1])))
  }

  @Test("flatc reads the values that were written")
  func flatcReadsTheSame() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-structs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let schema = try String(
      contentsOf: packageFolder.appending(path: "Fixtures/structs/schema.fbs"), encoding: .utf8
    )
    // flatc takes structs in unions for C++ only: here the union has but its table, with the type code that it has.
    .replacingOccurrences(of: "union Payload { Vec3, Note, Big }", with: "union Payload { Note = 2 }")
    // flatc wants attributes that are not its own to be declared.
    try Data(("attribute \"primary\"; attribute \"indexed\";\n" + schema).utf8)
      .write(to: folder.appending(path: "schema.fbs"))
    var builder = BodyBuilder(runner)
    builder.payload = .note(Note(text: "hello"))
    try bytes(builder.build()).withUnsafeBytes { try Data($0).write(to: folder.appending(path: "body.bin")) }
    try runTool("flatc", ["--json", "--strict-json", "--raw-binary", "schema.fbs", "--", "body.bin"], in: folder)
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "body.json")))
    let body = try #require(json as? [String: Any])
    let pose = try #require(body["pose"] as? [String: Any])
    #expect(body["id"] as? Int == 1)
    #expect(pose["axis"] as? String == "Z")
    #expect(pose["abilities"] as? String == "Walk Fly")
    #expect(pose["stamp"] as? UInt64 == .max)
    #expect(pose["codes"] as? [Int] == [1, 2, 65535])
    #expect(pose["axes"] as? [String] == ["Y", "Z"])
    #expect((pose["corners"] as? [[String: Double]])?.map { $0["z"] } == [0, 8])
    #expect((body["path"] as? [[String: Double]])?.map { $0["y"] } == [0, 2])
    #expect((body["big"] as? [String: Double])?["value"] == 3.25)
    #expect(body["payload_type"] as? String == "Note")
    #expect(body["payload"] as? [String: String] == ["text": "hello"])
    #expect(body["maybe"] as? String == "Walk Swim Fly")
  }

  @Test("Objects with structs are stored, and queries can name the structs' fields")
  func fieldsOfStructsCanBeStoredQueriedAndIndexed() async throws {
    try await withWorkspace { workspace in
      let bodies = [runner, plain, noted, large]
      #expect(
        await workspace.performChanges([Body.self]) { transaction in
          for body in bodies {
            transaction.try(submit: BodyChangeRequest.creationRequest(body))
          }
        })
      #expect(Array(workspace.fetch(for: Body.self).all()) == bodies)
      func ids(_ query: QueryExpression<Bool, Body>) -> [Int32] {
        workspace.fetch(for: Body.self).where(query, orderBy: [Body.id.ascending]).map(\.id)
      }
      #expect(ids(Body.origin.x < 0) == [3])
      #expect(ids(Body.pose.position.y == -1) == [1])
      #expect(ids(Body.pose.stamp == .max) == [1])
      #expect(ids(Body.pose.axis == .Z) == [1])
      #expect(ids(Body.pose.position.x.isNull) == [2, 3, 4])
      #expect(ids(Body.abilities == [.walk, .fly]) == [2, 3, 4])
      #expect(ids(Body.payload.match(Vec3.self)) == [1])
      #expect(ids(Body.payload.as(Vec3.self).z == 9) == [1])
      #expect(ids(Body.payload.as(Big.self).value == 2) == [4])
      #expect(ids(Body.payload.as(Note.self).text == "hello") == [3])
    }
  }

  @Test("A fixed array with too few elements is filled up with zeros")
  func aShortFixedArrayIsFilledUpWithZeros() throws {
    let pose = Pose(codes: [7], axes: [], corners: [Vec3(y: 1)])
    let stored = try #require(Body.from(data: try Body(id: 1, origin: Vec3(), pose: pose).toData()).pose)
    #expect(stored.codes == [7, 0, 0])
    #expect(stored.axes == [.X, .X])
    #expect(stored.corners == [Vec3(y: 1), Vec3()])
  }

  @Test(
    "An object whose fixed array has too many elements is not stored",
    arguments: [
      (Pose(codes: [1, 2, 3, 4]), FlatBufferError.arrayTooLong(count: 4, limit: 3)),
      (Pose(axes: [.X, .Y, .Z]), .arrayTooLong(count: 3, limit: 2)),
      (Pose(corners: [Vec3(), Vec3(), Vec3(), Vec3()]), .arrayTooLong(count: 4, limit: 2)),
    ])
  func tooLongFixedArrays(pose: Pose, error: FlatBufferError) throws {
    let body = Body(id: 1, origin: Vec3(), pose: pose)
    #expect(throws: error) { try body.toData() }
    #expect(throws: error) { try pose.toData() }
    #expect(throws: error) { try Body(id: 1, origin: Vec3(), pose: pose, path: [Vec3(), Vec3()]).toData() }
    // The builder is as good as new once it is cleared.
    var builder = FlatBufferBuilder(initialCapacity: 64)
    _ = body.to(flatBufferBuilder: &builder)
    builder.clear()
    let root = runner.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    #expect(Body.from(byteBuffer: builder.finishedBuffer()) == runner)
  }

  @Test("A fixed array with too many elements fails its transaction")
  func aTooLongFixedArrayStopsItsTransaction() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-arrays-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let workspace = SQLiteWorkspace(
      filePath: folder.appending(path: "store.sqlite3").path, fileProtectionLevel: .noProtection
    ) { error in
      #expect("\(error)".contains("A fixed array of 3 elements was given 4."))
    }
    let outcome = await workspace.performChanges([Body.self]) { transaction in
      transaction.try(submit: BodyChangeRequest.creationRequest(plain))
      let body = Body(id: 9, origin: Vec3(), pose: Pose(codes: [1, 2, 3, 4]))
      #expect(throws: TransactionError.others) { try transaction.submit(BodyChangeRequest.creationRequest(body)) }
    }
    #expect(!outcome)
    #expect(workspace.fetch(for: Body.self).all().isEmpty)
    await workspace.shutdown()
  }

  @Test("Indexes of struct fields have the names of the storage format")
  func indexesHaveTheNamesOfTheLayout() {
    #expect(
      Body._record.indexes.map(\.key) == ["f6__f0__f0", "f6__f16", "f8__f0", "f12", "f22__type", "f22__u1__f0"])
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    #expect((Body.path.contains { $0.y == 2 }).evaluate(runner))
    #expect((Body.allAbilities.contains(.fly)).evaluate(runner))
    #expect((Body.allAbilities.count == 3).evaluate(runner))
  }
}
