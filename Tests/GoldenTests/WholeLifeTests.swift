import Dflat
import Foundation
import Golden_codable
import Golden_composite_key
import Golden_namespaces
import Golden_recursive
import Golden_scalars
import Golden_structs
import SQLiteDflat
import TestSupport
import Testing

/// What the suites of the golden cases leave out of: create, fetch, query by each field, change, delete.
@Suite("Objects of the golden outputs live in a store")
struct WholeLifeTests {
  @Test("Objects with every scalar type are stored, queried, changed and deleted")
  func scalars() async throws {
    func sample(_ id: UInt64, _ change: (inout SampleBuilder) -> Void) -> Sample {
      var builder = SampleBuilder(Sample(sensorId: id, level: .LOW, name: "n\(id)", serial: UInt32(id)))
      change(&builder)
      return builder.build()
    }
    let set = sample(1) {
      $0.tiny = 5
      $0.small = 6
      $0.count = 7
      $0.number = 8
      $0.precise = 9.5
      $0.maybeFlag = false
      $0.maybePrecise = -1
      $0.maybeDistance = .far
    }
    var edited = SampleBuilder(set)
    edited.maybeDistance = nil
    edited.words = ["changed"]
    try await live(
      [set, sample(2) { _ in }], creation: { SampleChangeRequest.creationRequest($0) },
      change: { SampleChangeRequest.changeRequest($0) }, deletion: { SampleChangeRequest.deletionRequest($0) },
      edited: edited.build(),
      edit: {
        $0.maybeDistance = nil
        $0.words = ["changed"]
      },
      questions: [
        (Sample.tiny == 5, [0]), (Sample.tiny < 0, [1]), (Sample.small == 6, [0]), (Sample.small > 199, [1]),
        (Sample.count == 7, [0]), (Sample.number == 8, [0]), (Sample.number == .min, [1]), (Sample.serial == 2, [1]),
        (Sample.precise == 9.5, [0]), (Sample.precise > 1e299, [1]), (Sample.maybeFlag == false, [0]),
        (Sample.maybeFlag.isNull, [1]), (Sample.maybePrecise < 0, [0]), (Sample.maybePrecise.isNull, [1]),
        (Sample.maybeDistance == .far, [0]), (Sample.maybeDistance.isNull, [1]),
      ])
  }

  @Test("Objects with a unique field in a key of two fields are stored, queried, changed and deleted")
  func compositeKey() async throws {
    let seat = Seat(hall: "North", ticket: 1, row: 3)
    try await live(
      [seat, Seat(hall: "North", ticket: 2)], creation: { SeatChangeRequest.creationRequest($0) },
      change: { SeatChangeRequest.changeRequest($0) }, deletion: { SeatChangeRequest.deletionRequest($0) },
      edited: Seat(hall: "North", ticket: 1, row: 4), edit: { $0.row = 4 },
      questions: [
        (Seat.hall == "North", [0, 1]), (Seat.ticket == 1, [0]), (Seat.ticket > 1, [1]), (Seat.row == 0, [1]),
        (Seat.hall == "North" && Seat.ticket == 2, [1]), (Seat.hall == "South" && Seat.ticket == 2, []),
      ])
  }

  @Test("Objects of a codable table are stored, queried, changed and deleted")
  func codable() async throws {
    let full = Photo(
      title: "a", number: 1, origin: Point(x: 1, y: 2), mood: .stormy, maybeMood: .NORMAL, rights: [.write],
      ratio: 2, count: 3, isPublic: false, default: "e", track: Track(start: Point(y: 4), sky: .grey),
      caption: Caption(text: "c", language: "de"), content: .point(Point(x: 5)), numbers: [1], moods: [.calm])
    let plain = Photo(title: "b", number: 2, origin: Point())
    var edited = PhotoBuilder(full)
    edited.content = .plain("text")
    edited.caption = nil
    try await live(
      [full, plain], creation: { PhotoChangeRequest.creationRequest($0) },
      change: { PhotoChangeRequest.changeRequest($0) }, deletion: { PhotoChangeRequest.deletionRequest($0) },
      edited: edited.build(),
      edit: {
        $0.content = .plain("text")
        $0.caption = nil
      },
      questions: [
        (Photo.title == "a", [0]), (Photo.number == 2, [1]), (Photo.mood == .stormy, [0]),
        (Photo.maybeMood == .NORMAL, [0]), (Photo.maybeMood.isNull, [1]), (Photo.rights == .write, [0]),
        (Photo.ratio == 1.5, [1]), (Photo.count == 3, [0]), (Photo.count.isNull, [1]), (Photo.isPublic, [1]),
        (Photo.default == "d", [1]), (Photo.track.start.y == 4, [0]), (Photo.track.sky == .grey, [0]),
        (Photo.origin.x == 1, [0]), (Photo.caption.text == "c", [0]), (Photo.caption.language.isNull, [1]),
        (Photo.content.match(Point.self), [0]), (Photo.content.as(Point.self).x == 5, [0]),
        (Photo.content.match(String.self), []), (Photo.content.isNull, [1]),
      ])
  }

  @Test("Objects of a table in a namespace are stored, queried, changed and deleted")
  func namespaces() async throws {
    typealias Animal = Zoo.Animals.Animal
    typealias Request = Zoo.Animals.AnimalChangeRequest
    let lion = Animal(id: 1, name: .init(first: "Leo"), home: .zooCage(Zoo.Cage(number: 7)), friends: [.init()])
    let mole = Animal(id: 2, name: .init(), diet: .plants)
    try await live(
      [lion, mole], creation: { Request.creationRequest($0) }, change: { Request.changeRequest($0) },
      deletion: { Request.deletionRequest($0) },
      edited: Animal(id: 1, name: .init(first: "Leo"), home: .nickname("den"), friends: [.init()]),
      edit: { $0.home = .nickname("den") },
      questions: [
        (Animal.id == 2, [1]), (Animal.diet == .plants, [1]), (Animal.home.as(String.self).isNull, [0, 1]),
        (Animal.home.isNull, [1]), (Animal.name.first == "Leo", [0]),
      ])
  }

  @Test("Objects with nested tables of their own kind are stored, queried, changed and deleted")
  func recursive() async throws {
    let deep = Outline(
      id: 1, first: Node(name: "a", next: Node(name: "b")), pair: Pair(left: Side(number: 2)),
      term: .sum(Sum(left: .number(Number(value: 3)))), parent: Outline(id: 9, first: Node(name: "p")))
    let flat = Outline(id: 2, term: .number(Number(value: 4)))
    var edited = OutlineBuilder(deep)
    edited.first?.next?.next = Node(name: "c")
    try await live(
      [deep, flat], creation: { OutlineChangeRequest.creationRequest($0) },
      change: { OutlineChangeRequest.changeRequest($0) }, deletion: { OutlineChangeRequest.deletionRequest($0) },
      edited: edited.build(), edit: { $0.first?.next?.next = Node(name: "c") },
      questions: [
        (Outline.id == 2, [1]), (Outline.first.next.name == "b", [0]), (Outline.pair.left.number == 2, [0]),
        (Outline.term.match(Number.self), [1]), (Outline.term.as(Number.self).value == 4, [1]),
        (Outline.term.as(Sum.self).left.as(Number.self).value == 3, [0]), (Outline.parent.id == 9, [0]),
        (Outline.parent.first.name == "p", [0]),
      ])
  }

  @Test("Objects with structs and bit flags are stored, queried, changed and deleted")
  func structs() async throws {
    let runner = Body(
      id: 1, origin: Vec3(x: 1), pose: Pose(position: Vec3(z: 2), axis: .Z, abilities: [.fly], stamp: .max),
      big: Big(value: 3), abilities: [.swim], maybe: [.walk], path: [Vec3(y: 1)], payload: .vec3(Vec3(x: 4)))
    let plain = Body(id: 2, origin: Vec3())
    var edited = BodyBuilder(runner)
    edited.pose?.codes[2] = 6
    edited.path = []
    try await live(
      [runner, plain], creation: { BodyChangeRequest.creationRequest($0) },
      change: { BodyChangeRequest.changeRequest($0) }, deletion: { BodyChangeRequest.deletionRequest($0) },
      edited: edited.build(),
      edit: {
        $0.pose?.codes[2] = 6
        $0.path = []
      },
      questions: [
        (Body.id == 2, [1]), (Body.pose.position.z == 2, [0]), (Body.pose.axis == .Z, [0]),
        (Body.pose.abilities == .fly, [0]), (Body.pose.stamp == .max, [0]), (Body.pose.stamp.isNull, [1]),
        (Body.origin.x == 1, [0]), (Body.big.value == 3, [0]), (Body.abilities == .swim, [0]),
        (Body.abilities == [.walk, .fly], [1]), (Body.maybe == .walk, [0]), (Body.maybe.isNull, [1]),
        (Body.payload.match(Vec3.self), [0]), (Body.payload.as(Vec3.self).x == 4, [0]), (Body.payload.isNull, [1]),
      ])
  }

  @Test("Each query field of each root is asked about by some test")
  func noFieldIsForgotten() throws {
    let manager = FileManager.default
    let folder = packageFolder.appending(path: "Tests/GoldenTests")
    // The models of vectors and of structs of bytes have their own tests, for each engine.
    let models = ["VectorModel", "BytesModel"].map {
      packageFolder.appending(path: "Tests/EngineTestSupport/\($0).swift")
    }
    let files = try manager.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let tests = try (files.map { folder.appending(path: $0) } + models).map {
      try String(contentsOf: $0, encoding: .utf8)
    }.joined()
    var count = 0
    let fixtures = packageFolder.appending(path: "Fixtures")
    for name in try manager.contentsOfDirectory(atPath: fixtures.path).sorted() {
      let file = fixtures.appending(path: "\(name)/schema_query_generated.swift")
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      var type = ""
      for line in text.split(separator: "\n") {
        if line.hasPrefix("extension ") { type = String(line.split { " .{".contains($0) }.last ?? "") }
        guard let declaration = line.range(of: "  public static let ") else { continue }
        let field = line[declaration.upperBound...].prefix { $0 != " " }.filter { $0 != "`" }
        count += 1
        #expect(tests.contains("\(type).\(field)"), "no test asks about \(name)'s \(type).\(field)")
      }
    }
    #expect(count > 50)
  }
}
