import EngineTestSupport
import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

/// The rows of a dictionary as Dflat 0.6 leaves them, made by hand after the description of the layout: a table
/// `DictItem` with the fields key, namespace, version, value_type and one for each kind of value.
private struct OldDictionary {
  let path: String

  init(_ path: String) throws {
    self.path = path
    try PlainSQL.run(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS dictitem_v_dflat_internal__ (rowid INTEGER PRIMARY KEY AUTOINCREMENT, __pk0 TEXT, \
      __pk1 TEXT, p BLOB, UNIQUE(__pk0, __pk1));
      """, in: path)
  }

  /// Stores a row.
  ///
  /// - Parameters:
  ///   - type: the code of the field `value_type`.
  ///   - add: adds the value's field.
  func insert(
    _ key: String, namespace: String = "", version: String? = nil, type: UInt8,
    codable: [UInt8]? = nil, string: String? = nil, _ add: (inout FlatBufferBuilder) -> Void = { _ in }
  ) throws {
    // All scalars are written, and the strings before the others: other bytes than this library writes.
    var builder = FlatBufferBuilder(forceDefaults: true)
    let keyOffset = builder.create(key)
    let namespaceOffset = builder.create(namespace)
    let versionOffset = builder.create(version)
    let stringOffset = builder.create(string)
    let codableOffset = codable.map { builder.create(vector: $0) } ?? .null
    builder.startTable(fieldCount: 11)
    builder.add(codableOffset, at: 24)
    builder.add(stringOffset, at: 22)
    add(&builder)
    builder.add(type, default: 0, at: 10)
    builder.add(versionOffset, at: 8)
    builder.add(namespaceOffset, at: 6)
    builder.add(keyOffset, at: 4)
    let root = builder.endTable()
    try builder.finish(root)
    try insert(key, namespace, builder.withFinishedBytes { Array($0) })
  }

  func insert(_ key: String, _ namespace: String = "", _ bytes: [UInt8]) throws {
    let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    try PlainSQL.run(
      "INSERT INTO dictitem_v_dflat_internal__ (__pk0, __pk1, p) VALUES ('\(key)', '\(namespace)', x'\(hex)')", in: path
    )
  }

  /// The row of a key, as Dflat 0.6 reads it.
  func row(_ key: String, _ namespace: String = "") throws -> FlatBufferTable? {
    let rows = try StoredRows.read(
      "SELECT p FROM dictitem_v_dflat_internal__ WHERE __pk0 = '\(key)' AND __pk1 = '\(namespace)'", in: path)
    guard rows.count == 1, case .blob(let bytes) = rows[0][0] else { return nil }
    return FlatBufferTable(rootOf: ByteBuffer(bytes))
  }
}

@Suite("The table of the dictionary is that of Dflat 0.6")
struct DictionaryFileTests {
  private func propertyList(_ value: some Encodable) throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Array(try encoder.encode(value))
  }

  @Test("Values of every type that Dflat 0.6 has stored are read")
  func reading() throws {
    let post = Post(title: "p", priority: 3)
    let store = try TestStore { path in
      let old = try OldDictionary(path)
      try old.insert("bool", type: 0) { $0.add(true, default: false, at: 12) }
      try old.insert("int", type: 1) { $0.add(Int64.min, default: 0, at: 14) }
      try old.insert("uint", type: 2) { $0.add(UInt64.max, default: 0, at: 16) }
      try old.insert("float", type: 3) { $0.add(Float(1.5), default: 0, at: 18) }
      try old.insert("double", type: 4) { $0.add(2.5, default: 0, at: 20) }
      try old.insert("string", type: 5, string: "é")
      try old.insert("empty", type: 5, string: "")
      try old.insert("codable", type: 6, codable: try propertyList(Profile()))
      try old.insert(
        "post", version: Post.flatBuffersSchemaVersion, type: 7,
        codable: Array(try (post as any FlatBuffersEncodable).toData()))
      try old.insert("int", namespace: "other", type: 1) { $0.add(Int64(7), default: 0, at: 14) }
    }
    let dictionary = store.workspace.dictionary
    #expect(dictionary["bool"] == true)
    #expect(dictionary["int"] == Int.min)
    #expect(dictionary["uint"] == UInt.max)
    #expect(dictionary["float"] == Float(1.5))
    #expect(dictionary["double"] == 2.5)
    #expect(dictionary["string"] == "é")
    #expect(dictionary["empty"] == "")
    #expect(dictionary["codable"] == Profile())
    #expect(dictionary["post"] == post)
    #expect(dictionary.namespace("other")["int"] == 7)
    #expect(dictionary.keys.count == 9)
    #expect(store.errors.count == 0)
  }

  @Test("Dflat 0.6 reads stored values of every type")
  func writing() throws {
    let store = try TestStore()
    let dictionary = store.workspace.dictionary
    let post = Post(title: "p", priority: 3)
    dictionary["bool"] = true
    dictionary["int"] = -5
    dictionary["uint"] = UInt.max
    dictionary["float"] = Float(1.5)
    dictionary["double"] = 2.5
    dictionary["string"] = "é"
    dictionary["codable"] = Profile()
    dictionary["post"] = post
    dictionary.namespace("other")["int"] = 7
    #expect(dictionary.synchronize())
    let old = try OldDictionary(store.path)
    func row(_ key: String, type: UInt8, namespace: String = "") throws -> FlatBufferTable {
      let row = try #require(try old.row(key, namespace))
      #expect(row.string(at: 4) == key && row.string(at: 6) == namespace)
      #expect(row.scalar(at: 10, default: UInt8(0)) == type)
      return row
    }
    #expect(try row("bool", type: 0).scalar(at: 12, default: false))
    #expect(try row("int", type: 1).scalar(at: 14, default: Int64(0)) == -5)
    #expect(try row("uint", type: 2).scalar(at: 16, default: UInt64(0)) == UInt64.max)
    #expect(try row("float", type: 3).scalar(at: 18, default: Float(0)) == 1.5)
    #expect(try row("double", type: 4).scalar(at: 20, default: 0.0) == 2.5)
    #expect(try row("string", type: 5).string(at: 22) == "é")
    let codable: [UInt8] = try row("codable", type: 6).array(at: 24)
    #expect(codable.starts(with: Array("bplist00".utf8)))
    #expect(try PropertyListDecoder().decode(Profile.self, from: Data(codable)) == Profile())
    let item = try row("post", type: 7)
    #expect(item.string(at: 8) == Post.flatBuffersSchemaVersion)
    #expect(Post.from(byteBuffer: ByteBuffer(item.array(at: 24))) == post)
    #expect(try row("int", type: 1, namespace: "other").scalar(at: 14, default: Int64(0)) == 7)
    #expect(
      try store.sql("SELECT sql FROM sqlite_master WHERE name = 'dictitem_v_dflat_internal__'")[0][0]?
        .contains("AUTOINCREMENT") == true)
  }

  @Test("A value equal to one that Dflat 0.6 has written writes nothing; another replaces its row")
  func replacing() throws {
    let store = try TestStore { path in
      try OldDictionary(path).insert("int", type: 1) { $0.add(Int64(7), default: 0, at: 14) }
    }
    let before = try StoredRows.read("SELECT * FROM dictitem_v_dflat_internal__", in: store.path)
    let dictionary = store.workspace.dictionary
    dictionary["int"] = 7
    dictionary.synchronize()
    #expect(try StoredRows.read("SELECT * FROM dictitem_v_dflat_internal__", in: store.path) == before)
    dictionary["int"] = 8
    dictionary.synchronize()
    let after = try StoredRows.read("SELECT * FROM dictitem_v_dflat_internal__", in: store.path)
    #expect(after.count == 1 && after[0][0] == before[0][0] && after[0][3] != before[0][3])
  }

  @Test("A FlatBuffers value of another version of its type is absent, is reported once, and stays stored")
  func otherVersion() throws {
    let post = Post(title: "p")
    let store = try TestStore { path in
      try OldDictionary(path).insert(
        "post", version: "another", type: 7, codable: Array(try (post as any FlatBuffersEncodable).toData()))
    }
    let dictionary = store.workspace.dictionary
    for _ in 0..<3 { #expect(dictionary["post", Post.self] == nil) }
    #expect(store.errors.count == 1)
    #expect(dictionary.keys == ["post"])
    dictionary["post"] = post
    dictionary.synchronize()
    #expect(try OldDictionary(store.path).row("post")?.string(at: 8) == Post.flatBuffersSchemaVersion)
  }

  @Test(
    "A row that holds nothing readable is absent, is reported once, and stays stored until its key is set",
    arguments: ["", "ff", "0000000000000000", "ffffffffffffffffffffffff", "kind", "string", "plist", "flatbuffer"])
  func damaged(_ damage: String) throws {
    let store = try TestStore { path in
      let old = try OldDictionary(path)
      switch damage {
      case "kind": try old.insert("k", type: 99)
      case "string": try old.insert("k", type: 5)
      case "plist": try old.insert("k", type: 6, codable: [1, 2, 3])
      case "flatbuffer": try old.insert("k", version: Post.flatBuffersSchemaVersion, type: 7, codable: [1, 2, 3])
      default:
        try old.insert(
          "k", "", stride(from: 0, to: damage.count, by: 2).map { _ in UInt8(damage.hasPrefix("f") ? 255 : 0) })
      }
    }
    let dictionary = store.workspace.dictionary
    let told = Collected<SubscribedDictionaryValue<Profile>>()
    let subscription = dictionary.subscribe("k", of: Profile.self) { told.append($0) }
    for _ in 0..<3 {
      #expect(
        dictionary["k", Profile.self] == nil && dictionary["k", Post.self] == nil && dictionary["k", Int.self] == nil)
    }
    store.perform([]) { #expect($0.dictionary["k", Profile.self] == nil) }
    #expect(store.errors.count == 1)
    #expect(dictionary.keys == ["k"])
    dictionary["k"] = Profile()
    dictionary.synchronize()
    #expect(dictionary["k"] == Profile())
    #expect(told.values == [.initial(nil), .updated(Profile())])
    subscription.cancel()
    let other = store.reopened()
    #expect(other.dictionary["k"] == Profile())
    other.shutdown()
  }

  @Test(
    "A key that another process has changed shows that after its commit, and an own one that is pending comes later")
  func otherProcess() throws {
    let store = try TestStore()
    let dictionary = store.workspace.dictionary
    dictionary["k"] = 1
    dictionary["own"] = 1
    dictionary.synchronize()
    #expect(dictionary["k"] == 1)
    let other = store.reopened()
    for number in 2..<200 {
      other.dictionary["k"] = number
      other.dictionary.synchronize()
      #expect(dictionary["k"] == number)
      if number % 10 == 0 {
        other.dictionary.removeAll()
        other.dictionary.synchronize()
        #expect(dictionary["k", Int.self] == nil && dictionary.keys.isEmpty)
      }
    }
    other.shutdown()
  }
}
