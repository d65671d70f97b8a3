import Foundation
import TestSupport
import Testing

@Suite("The links in the documentation")
struct LinkTests {
  @Test("Every relative link leads to a file and to a heading in it")
  func everyRelativeLinkLeadsToAFileAndAHeading() throws {
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

  @Test("The index of the documentation links every page")
  func everyPageOfTheDocumentationIsInItsIndex() throws {
    let linked = Set(try Page("Documentation/README.md").links.map(\.target))
    let folder = packageFolder.appendingPathComponent("Documentation")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".md") && name != "README.md" {
      #expect(linked.contains(name), "Documentation/README.md does not name \(name)")
    }
  }

  @Test("llms.txt links every page of the index, and each of its links leads to a file")
  func llmsTextNamesEveryPageOfTheIndexAndEachOfItsLinksLeadsToAFile() throws {
    let linked = Set(try Page("llms.txt").links.map(\.target))
    for target in linked {
      let isThere = FileManager.default.fileExists(atPath: packageFolder.appendingPathComponent(target).path)
      #expect(isThere, "llms.txt: there is no \(target)")
    }
    let folder = URL(fileURLWithPath: "/Documentation")
    for (line, target) in try Page("Documentation/README.md").links {
      let file = target.prefix { $0 != "#" }
      let path = folder.appendingPathComponent(String(file)).standardizedFileURL.path.dropFirst()
      #expect(linked.contains(String(path)), "llms.txt does not name \(path) of Documentation/README.md:\(line)")
    }
  }
}
