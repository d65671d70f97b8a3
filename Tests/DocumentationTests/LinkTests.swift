import Foundation
import TestSupport
import Testing

@Suite("The links in the documentation")
struct LinkTests {
  @Test func everyRelativeLinkLeadsToAFileAndAHeading() throws {
    let pages = try Page.all()
    let anchors = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0.anchors) })
    for page in pages {
      let folder = URL(fileURLWithPath: "/" + page.path).deletingLastPathComponent()
      for (line, target) in page.links {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path =
          parts[0].isEmpty
          ? page.path : String(folder.appendingPathComponent(parts[0]).standardizedFileURL.path.dropFirst())
        let isThere = FileManager.default.fileExists(atPath: packageFolder.appendingPathComponent(path).path)
        #expect(isThere, "\(page.path):\(line): there is no \(target)")
        if parts.count == 2, isThere {
          #expect(anchors[path]?.contains(parts[1]) == true, "\(page.path):\(line): there is no heading \(target)")
        }
      }
    }
  }

  @Test func everyPageOfTheDocumentationIsInItsIndex() throws {
    let linked = Set(try Page("Documentation/README.md").links.map(\.target))
    let folder = packageFolder.appendingPathComponent("Documentation")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".md") && name != "README.md" {
      #expect(linked.contains(name), "Documentation/README.md does not name \(name)")
    }
  }
}
