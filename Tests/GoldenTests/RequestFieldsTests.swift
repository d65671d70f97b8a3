import Dflat
import Golden_contents
import Testing

@Suite("The fields of a change request are variables like others")
struct RequestFieldsTests {
  private func page() -> PageChangeRequest {
    PageChangeRequest.creationRequest(
      Page(number: 1, extras: [.text("extra")], letter: [1, 2], cover: .text("cover"), items: [.text("item")]))
  }

  @Test("Two fields of a request can be exchanged with swap")
  func twoOfThemAreChangedAtOnce() {
    let request = page()
    swap(&request.items, &request.extras)
    swap(&request.letter, &request.wide)
    #expect(request.items == [.text("extra")] && request.extras == [.text("item")])
    #expect(request.letter == [] && request.wide == [1, 2])
    let stored = request._object(_rowid: 0)
    #expect(stored.items == [.text("extra")] && stored.wide == [1, 2])
  }

  @Test("A vector of a request is changed in place, without a copy")
  func aVectorIsChangedInPlace() {
    let request = page()
    request.letter.reserveCapacity(1000)
    let before = request.letter.withUnsafeMutableBufferPointer { UnsafeRawPointer($0.baseAddress) }
    for number in 0..<900 { request.letter.append(UInt8(truncatingIfNeeded: number)) }
    let after = request.letter.withUnsafeMutableBufferPointer { UnsafeRawPointer($0.baseAddress) }
    // To copy it for each element would take time that grows with its square.
    #expect(before == after && request.letter.count == 902)
    request.section = Section(title: "s", items: [])
    request.section?.items.append(.text("in a table"))
    request.cover = nil
    #expect(request.section?.items == [.text("in a table")] && request.cover == nil)
  }

  @Test("A field keeps its new value when the function that changes it throws")
  func whatThrowsInTheMiddleLosesNothing() {
    struct Stop: Error {}
    func stop(_ letter: inout [UInt8]) throws {
      letter.append(3)
      throw Stop()
    }
    let request = page()
    #expect(throws: Stop.self) { try stop(&request.letter) }
    #expect(request.letter == [1, 2, 3])
  }

  @Test("Fields of a request can be read and written through key paths")
  func keyPathsLeadToThem() {
    let request = page()
    let number: ReferenceWritableKeyPath<PageChangeRequest, Int32> = \.number
    let items: ReferenceWritableKeyPath<PageChangeRequest, [Item]> = \.items
    request[keyPath: number] += 4
    request[keyPath: items].append(.link("more"))
    #expect(request.number == 5 && request.items == [.text("item"), .link("more")])
  }
}
