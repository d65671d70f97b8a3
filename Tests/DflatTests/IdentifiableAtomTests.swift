import FlatBuffersCore
import Foundation
import Testing

@testable import Dflat

/// What an app declares for a class is what counts, as if the class did not conform to anything by itself.
@Suite("Conformances of an app replace those of the library")
struct IdentifiableAtomTests {
  private func identity<Element: Identifiable>(_ object: Element) -> Element.ID { object.id }

  @Test("The identity of an object is its primary key by default")
  func theIdentityIsThePrimaryKey() {
    let id: String = identity(Plain(name: "a"))
    #expect(id == "a")
  }

  @Test("An app's own id replaces the primary key as the identity")
  func anAppMayHaveAnotherIdentity() {
    let id: Int = identity(Counted(name: "abc"))
    #expect(id == 3)
    #expect(Counted(name: "abc").id == 3)
  }

  @Test("An app's own description and mirror replace those of the library")
  func anAppMayPrintAnObjectInItsOwnWay() {
    #expect("\(Counted(name: "abc"))" == "abc, counted")
    #expect(Mirror(reflecting: Counted(name: "abc")).children.map(\.label) == ["letters"])
  }

  @Test("An Atom class that is not generated prints its name without fields")
  func aClassThatIsNotGeneratedIsPrintedWithoutFields() {
    #expect("\(Plain(name: "a"))" == "Plain()")
  }
}

/// Fetches by a primary key that stands for another type.
@Suite("Fetches by a primary key")
struct PrimaryKeyRequestTests {
  private func predicate(_ request: FetchRequest) -> String { request.predicate.map { "\($0)" } ?? "" }

  @Test("A key is looked up in the units of its field")
  func units() {
    let date = Date(timeIntervalSince1970: 1.5)
    #expect(predicate(FetchRequest(primaryKey: date, of: Dated.self)) == "(f4 == 1500)")
    #expect(predicate(FetchRequest(primaryKey: "a", of: Plain.self)) == "(f4 == \"a\")")
  }
}

private final class Dated: IdentifiableAtom {
  let date: Date
  let _rowid: Int64 = 0
  let _commitVersion: UInt64 = 0

  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) { date = Date(timeIntervalSince1970: 0) }

  static func verify(byteBuffer: ByteBuffer) -> Bool { false }
  static let _record = RecordDescription(table: "dated", primaryKeys: [RecordField(.root, .int64, at: 4)])
  var _primaryKey: Date { date }
  static var _primaryKeyUnits: Int64 { 1000 }
}

/// A class as it is generated, but for what a store needs.
private final class Plain: IdentifiableAtom {
  let name: String
  let _rowid: Int64 = 0
  let _commitVersion: UInt64 = 0

  init(name: String) { self.name = name }
  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) { name = "" }

  static func verify(byteBuffer: ByteBuffer) -> Bool { false }
  static let _record = RecordDescription(table: "plain", primaryKeys: [RecordField(.root, .string, at: 4)])
  var _primaryKey: String { name }
}

private final class Counted: IdentifiableAtom {
  let name: String
  let _rowid: Int64 = 0
  let _commitVersion: UInt64 = 0

  init(name: String) { self.name = name }
  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) { name = "" }

  static func verify(byteBuffer: ByteBuffer) -> Bool { false }
  static let _record = RecordDescription(table: "counted", primaryKeys: [RecordField(.root, .string, at: 4)])
  var _primaryKey: String { name }
}

extension Counted: Identifiable {
  var id: Int { name.count }
}

extension Counted: CustomStringConvertible {
  var description: String { name + ", counted" }
}

extension Counted: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: ["letters": name.count]) }
}
