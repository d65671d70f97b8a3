import Dflat
import Foundation
import Golden_codable
import Golden_contents
import Golden_namespaces
import Golden_post
import Golden_recursive
import Golden_scalars
import Golden_values
import Testing

@Suite("The identity of generated objects")
struct IdentityTests {
  private func identity<Element: Identifiable>(_ object: Element) -> Element.ID { object.id }

  @Test("An object's identity is its primary key")
  func anObjectIsIdentifiedByItsPrimaryKey() {
    let id: String = identity(Post(title: "a"))
    #expect(id == "a")
    let number: Int32 = identity(Page(number: 7, extras: [], letter: []))
    #expect(number == 7)
  }

  @Test("A primary key called id is the identity")
  func aFieldCalledIDIsTheIdentity() {
    #expect(identity(Outline(id: 3)) == 3)
    #expect(Outline(id: 3).id == 3)
  }

  @Test("A type is Identifiable exactly if its primary key has one field")
  func anObjectWithSeveralPrimaryKeysIsNotIdentifiable() {
    let types: [Any.Type] = [Photo.self, Post.self, Zoo.Animals.Animal.self, Golden_scalars.Sample.self]
    #expect(types.map { $0 is any Identifiable.Type } == [false, true, true, false])
  }

  @Test("A primary key that stands for a UUID finds its object")
  func aUUIDFindsItsObject() async throws {
    let ids = [UUID(), UUID()]
    try await withWorkspace { workspace in
      try await workspace.performChanges([Shop.Order.self]) { transaction -> Void in
        for id in ids { try transaction.submit(Shop.OrderChangeRequest.creationRequest(Shop.Order(id: id))) }
      }
      let orders = workspace.fetch(for: Shop.Order.self)
      #expect(ids.compactMap { orders.by($0)?.id } == ids)
      #expect(try orders.throwing.by(UUID()) == nil)
      #expect(try await orders.async.by(ids[1])?.id == ids[1])
    }
  }

  @Test("JSON of an object holds neither its identity nor helper properties")
  func theIdentityIsNotEncoded() throws {
    let json = String(decoding: try JSONEncoder().encode(Page(number: 7, extras: [], letter: [])), as: UTF8.self)
    #expect(json.contains(#""number":7"#))
    #expect(!json.contains(#""id""#))
    #expect(!json.contains("primaryKey"))
    #expect(!json.contains("fieldValues"))
  }
}
