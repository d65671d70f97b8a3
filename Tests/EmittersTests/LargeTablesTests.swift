import Emitters
import Testing

@Suite("Tables that hold many others within them")
struct LargeTablesTests {
  /// A chain of tables, each of which holds the next one twice.
  private func chain(_ count: Int, _ attribute: String) -> String {
    (0..<count).map { "table T\($0) { a: T\($0 + 1)\(attribute); b: T\($0 + 1)\(attribute); }\n" }.joined()
      + "table T\(count) { x: int; }\ntable Root { id: int (primary); first: T0; }\nroot_type Root;\n"
  }

  @Test("Required tables that make an object too large are refused once")
  func thoseOfWhichEachObjectIsLargeAreRefusedOnce() {
    #expect(complaints(chain(8, " (required)")).isEmpty)
    #expect(complaints(chain(9, " (required)")) == ["D0307 each `T0` has more than 1000 other tables within it"])
    #expect(
      complaints(chain(1000, " (required)")) == ["D0307 each `T991` has more than 1000 other tables within it"])
  }

  @Test("An optional table is stored indirectly where its struct would be large")
  func optionalOnesAreKeptApartWhereTheStructWouldBeLarge() throws {
    let model = try emit("data-model", chain(40, ""))
    // One in six or so: the structs between have what they hold within them.
    let count = model.components(separatedBy: "@Indirect ").count - 1
    #expect(count >= 10 && count <= 20, "\(count)")
    #expect(try !emit("data-model", chain(4, "")).contains("@Indirect"))
    // With a union on the way, too.
    let unions = (0..<40).map { "union U\($0) { T\($0 + 1) }\ntable T\($0) { a: U\($0); b: U\($0); }\n" }.joined()
    let text = unions + "table T40 { x: int; }\ntable Root { id: int (primary); first: T0; }\nroot_type Root;\n"
    #expect(try emit("data-model", text).contains("@Indirect public var a: U"))
  }
}
