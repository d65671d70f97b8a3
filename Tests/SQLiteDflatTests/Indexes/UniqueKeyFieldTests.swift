import Dflat
import EngineTestSupport
import Golden_composite_key
import Testing

@testable import SQLiteDflat

@Suite("A field of a composite primary key can be unique without the key's other fields")
struct UniqueKeyFieldTests {
  private func takenKey(_ seat: Seat, in store: TestStore) -> TakenKey? {
    var taken: TakenKey?
    store.perform([Seat.self]) { transaction in
      do {
        try transaction.submit(SeatChangeRequest.creationRequest(seat))
      } catch TransactionError.objectAlreadyExists(let key) {
        taken = key
      } catch {
        Issue.record(error)
      }
    }
    return taken
  }

  @Test("A second object with the value is refused, whatever the rest of its key, and one without it is stored")
  func creation() throws {
    let store = try TestStore()
    #expect(takenKey(Seat(hall: "North", ticket: 1), in: store) == nil)
    let key = try #require(takenKey(Seat(hall: "South", ticket: 1), in: store))
    #expect(!key.isPrimaryKey && key.fields.map(\.name) == ["ticket"], "\(key)")
    #expect(try #require(takenKey(Seat(hall: "North", ticket: 1), in: store)).isPrimaryKey)
    #expect(takenKey(Seat(hall: "South", ticket: 2), in: store) == nil)
    #expect(store.workspace.fetch(for: Seat.self).where(Seat.ticket == 1).map(\.hall) == ["North"])
    #expect(store.workspace.fetch(for: Seat.self).where(Seat.ticket > 0).count == 2)
  }

  @Test("A fetch by the field searches its index, and one by the key's first field the key")
  func plans() throws {
    let store = try TestStore()
    #expect(takenKey(Seat(hall: "North", ticket: 1), in: store) == nil)
    let seats = store.workspace.fetch(for: Seat.self)
    #expect(try seats.explain(where: Seat.ticket == 1).access == .index(["ticket"]))
    #expect(try seats.explain(where: Seat.hall == "North").access == .key)
    #expect(seats.where(Seat.hall == "North" && Seat.ticket == 1).count == 1)
    #expect(seats.where(Seat.hall == "South" && Seat.ticket == 1).count == 0)
    #expect(seats.where(Seat.hall >= "A", orderBy: [Seat.ticket.descending]).map(\.ticket) == [1])
  }

  @Test("A change to a taken value is refused, and the value is free once its object is deleted")
  func change() throws {
    let store = try TestStore()
    #expect(takenKey(Seat(hall: "North", ticket: 1), in: store) == nil)
    #expect(takenKey(Seat(hall: "South", ticket: 2), in: store) == nil)
    let south = try #require(store.workspace.fetch(for: Seat.self).where(Seat.hall == "South").first)
    store.perform([Seat.self]) { transaction in
      guard let request = SeatChangeRequest.changeRequest(south) else {
        Issue.record("the seat is not found")
        return
      }
      request.ticket = 1
      #expect(throws: TransactionError.objectAlreadyExists) { try transaction.submit(request) }
    }
    let north = try #require(store.workspace.fetch(for: Seat.self).where(Seat.hall == "North").first)
    store.perform([Seat.self]) { transaction in
      if let deletion = SeatChangeRequest.deletionRequest(north) { transaction.try(submit: deletion) }
      transaction.try(submit: SeatChangeRequest.creationRequest(Seat(hall: "West", ticket: 1)))
    }
    #expect(store.workspace.fetch(for: Seat.self).where(Seat.ticket == 1).map(\.hall) == ["West"])
  }
}
