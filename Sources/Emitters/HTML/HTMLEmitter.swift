import FBSParser
import FBSSchema

/// Emits a schema as a page of HTML: its types with their fields, linked to each other and to the pages of other
/// schemas.
///
/// A page needs no server and no other file: it contains its style and the script that searches it.
struct HTMLEmitter: Emitter {
  let name = "html"
  let summary = "the schema for people: a page of HTML, and index.html with links to all"
  let isDefault = false
  let needsStore = false
  let emitsSwift = false
  let usesSwiftNames = false
  let linksTypes = true

  func outputName(forStem stem: String) -> String { stem + ".html" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var page = SchemaPage(unit)
    return page.bytes()
  }
}
