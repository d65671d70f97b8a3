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
}
