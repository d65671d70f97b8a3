import EngineTestSupport
import Dflat
import FlatBuffersCore
import Golden_scalars
import PostgresDflat
import Testing

@Suite("A primary key on PostgreSQL with a number that the enum does not know")
struct UnknownKeyTests {
  /// The number of a level of a newer schema. The object shows the default, `middle`.
  private static let newLevel: Int16 = 6

  /// A database with a sample of sensor 5, whose level is one of a newer schema.
  private func database() throws -> TestDatabase {
    let database = try TestDatabase()
    store(.HIGH, 1, in: database)
    var builder = FlatBufferBuilder()
    let name = builder.create("5")
    builder.startTable(fieldCount: 27)
    builder.add(UInt64(5), default: 0, at: 4)
    builder.add(Self.newLevel, default: 0, at: 6)
    builder.add(UInt32(1), default: 0, at: 20)
    builder.add(name, at: 44)
    let root = builder.endTable()
    try builder.finish(root)
    let hex = builder.withFinishedBytes { bytes in
      bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
    try database.sql("UPDATE sample_v1_1 SET p = '\\x\(hex)', __pk1 = \(Self.newLevel)")
    return database
  }

  private func store(_ level: Level, _ serial: UInt32, in database: TestDatabase) {
    database.perform([Sample.self]) { transaction in
      transaction.try(
        submit: SampleChangeRequest.creationRequest(Sample(sensorId: 5, level: level, name: "5", serial: serial)))
    }
  }

  @Test("An object that is stored again has the key that it shows")
  func storedAgain() throws {
    let database = try database()
    let samples = database.workspace.fetch(for: Sample.self)
    #expect(samples.where(Sample.level == .middle).isEmpty)
    #expect(samples.all().map(\.level) == [.middle])
    database.perform([Sample.self]) { transaction in
      for sample in samples.all() {
        let request = SampleChangeRequest.changeRequest(sample)
        request?.small = 3
        request.map { _ = transaction.try(submit: $0) }
      }
      #expect(samples.where(Sample.level == .middle).map(\.small) == [3])
    }
    #expect(try database.sql("SELECT __pk1 FROM sample_v1_1") == "0")
    #expect(samples.where(Sample.level == .middle).map(\.small) == [3])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("It is refused if another object has that key")
  func taken() throws {
    let database = try database()
    store(.middle, 2, in: database)
    let samples = database.workspace.fetch(for: Sample.self)
    let refusals = Collected<any Error>()
    database.perform([Sample.self]) { transaction in
      for sample in samples.where(Sample.serial == 1) {
        guard let request = SampleChangeRequest.changeRequest(sample) else { continue }
        request.small = 3
        do { _ = try transaction.submit(request) } catch { refusals.append(error) }
      }
    }
    // The closure has run twice: the first time, nobody waits for the server's answer.
    #expect(refusals.count == 1 && refusals.values.first as? TransactionError == .objectAlreadyExists)
    #expect(try database.sql("SELECT count(*) FROM sample_v1_1 WHERE __pk1 IN (0, \(Self.newLevel))") == "2")
    #expect(samples.where(Sample.serial == 1).map(\.small) == [200])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
