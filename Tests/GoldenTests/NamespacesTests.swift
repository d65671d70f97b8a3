import Dflat
import FlatBuffersCore
import Golden_namespaces
import SQLiteDflat
import Testing

@Suite("The output for namespaces and nested tables, compiled and run")
struct NamespacesTests {
  private typealias Animal = Zoo.Animals.Animal
  private typealias Name = Zoo.Animals.Name
  private typealias Family = Zoo.Animals.Family

  private let lion = Animal(
    id: 1, name: Name(first: "Leo", last: "Lion"), home: .zooCage(Zoo.Cage(number: 7, doorOpen: true)),
    friends: [Name(first: "Zed"), Name()],
    parents: [Family(mother: Name(first: "Nala"), children: [Family(), Family(children: [Family()])])])
  private let parrot = Animal(id: 2, name: Name(first: "Polly"), diet: .plants, home: .nickname("the tree"))
  private let mole = Animal(id: 3, name: Name(), home: .name(Name(first: "Burrow")))

  @Test("Objects are unchanged after encoding and decoding")
  func objectsSurviveTheirBytes() throws {
    for animal in [lion, parrot, mole] {
      var builder = FlatBufferBuilder()
      let root = animal.to(flatBufferBuilder: &builder)
      try builder.finish(root)
      #expect(Animal.verify(byteBuffer: builder.finishedBuffer()))
      #expect(Animal.from(byteBuffer: builder.finishedBuffer()) == animal)
    }
  }

  @Test("Queries can name fields of nested tables and of union members")
  func fieldsOfNestedTablesAndUnionMembersCanBeQueried() async throws {
    try await withWorkspace { workspace in
      let animals = [lion, parrot, mole]
      #expect(
        await workspace.performChanges([Animal.self]) { transaction in
          for animal in animals {
            transaction.try(submit: Zoo.Animals.AnimalChangeRequest.creationRequest(animal))
          }
        })
      func ids(_ query: QueryExpression<Bool, Animal>) -> [Int32] {
        workspace.fetch(for: Animal.self).where(query, orderBy: [Animal.id.ascending]).map(\.id)
      }
      #expect(ids(Animal.name.first == "Polly") == [2])
      #expect(ids(Animal.name.first.isNull) == [3])
      #expect(ids(Animal.name.last == "Lion") == [1])
      #expect(ids(Animal.home.match(Zoo.Cage.self)) == [1])
      #expect(ids(Animal.home.match(String.self)) == [2])
      #expect(ids(Animal.home.as(Zoo.Cage.self).number == 7) == [1])
      #expect(ids(Animal.home.as(Zoo.Cage.self).doorOpen) == [1])
      #expect(ids(Animal.home.as(Name.self).first == "Burrow") == [3])
      #expect(ids(Animal.diet == .meat) == [1, 3])
    }
  }

  @Test("The table's name contains the namespace")
  func namesOnDiskAreThoseOfTheLayout() {
    #expect(Animal._record.table == "zoo__animals__animal")
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    #expect((Animal.friends.count == 2).evaluate(lion))
    #expect((Animal.friends.contains { $0.first == "Zed" }).evaluate(lion))
    #expect((Animal.parents.contains { $0.children.count == 2 }).evaluate(lion))
  }
}
