import Dflat
import FlatBuffersCore
import Foundation
import Golden_aliases
import Testing

@Suite("The output for numbers with several names, compiled and run")
struct AliasesTests {
  @Test("The first name of a number is the case, and the others stand for it")
  func cases() {
    #expect(Shade.allCases == [.black, .grey, .white])
    #expect(Shade.gray == .grey && Shade.lightest == .white)
    #expect(Options.fast == .express && Options([.gift, .fast]) == [.gift, .express])
    #expect(ShadeValue.gray == .grey && OptionsValue.fast == .express)
  }

  @Test("A default that names an alias is the value")
  func defaults() {
    let paint = Paint(name: "wall")
    #expect(paint.shade == .grey && paint.options == .fast)
  }

  @Test("Objects survive the store, a query by an alias, FlatBuffers and JSON")
  func roundTrips() async throws {
    let paint = Paint(name: "wall", shade: .lightest, options: [.gift, .fast], coats: [.gray, .black])
    #expect(Paint.from(data: paint.toData()) == paint)
    #expect(try JSONDecoder().decode(Paint.self, from: JSONEncoder().encode(paint)) == paint)
    try await withWorkspace { workspace in
      await workspace.performChanges([Paint.self]) { context in
        context.try(submit: PaintChangeRequest.creationRequest(paint))
      }
      #expect(workspace.fetch(for: Paint.self).where(Paint.shade == .lightest).map(\.name) == ["wall"])
      #expect(workspace.fetch(for: Paint.self).where(Paint.shade == .gray).isEmpty)
      #expect(workspace.fetch(for: Paint.self).where(Paint.options == [.gift, .express]).map(\.name) == ["wall"])
      #expect(workspace.fetch(for: Paint.self).where(Paint.name == "wall").map(\.coats) == [[.grey, .black]])
    }
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let paint = Paint(name: "wall", coats: [.gray, .black])
    #expect((Paint.coats.count == 2).evaluate(paint))
    #expect((Paint.coats.contains(.grey) && !Paint.coats.contains(.white)).evaluate(paint))
  }
}
