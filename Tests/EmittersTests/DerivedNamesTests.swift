import Foundation
import Testing

@Suite("Names of what stands beside a table's fields")
struct DerivedNamesTests {
  private let text = """
    table Inner { x: int; }
    table Root {
      id: int (primary);
      a: [ubyte] (nested_flatbuffer: "Inner");
      aRoot: int;
      b: string;
      bUTF8: string;
    }
    root_type Root;
    """

  @Test(
    "Each derived name is different, and the same for readers and the data model",
    arguments: ["accessors", "data-model"])
  func areTheirOwn(emitter: String) throws {
    let swift = try emit(emitter, text)
    #expect(swift.components(separatedBy: " var aRoot_: ").count == 2)
    guard emitter == "accessors" else { return }
    for name in ["aRoot", "bUTF8", "bUTF8_", "bUTF8UTF8"] {
      #expect(swift.components(separatedBy: " var \(name): ").count == 2, "\(name)")
    }
  }

  @Test("No derived name hides a type or namespace that the code beside it names")
  func typesAndNamespaces() throws {
    let text = """
      table bRoot { x: int; }
      namespace nameUTF8;
      table Inner { x: int; }
      namespace aRoot;
      table T {
        name: string;
        inner: nameUTF8.Inner;
        a: [ubyte] (nested_flatbuffer: "bRoot");
        b: [ubyte] (nested_flatbuffer: "nameUTF8.Inner");
      }
      """
    let accessors = try emit("accessors", text)
    for name in ["nameUTF8_", "aRoot_", "bRoot_"] { #expect(accessors.contains(" var \(name): "), "\(name)") }
    let model = try emit("data-model", text)
    for name in ["aRoot_", "bRoot_"] { #expect(model.contains(" var \(name): "), "\(name)") }
  }
}
