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

  @Test("Each heading that a doc comment names in parentheses behind a page is on that page")
  func everyHeadingThatADocCommentNamesIsOnItsPage() throws {
    let headings = Dictionary(uniqueKeysWithValues: try Page.all().map { ($0.path, $0.headings) })
    let sources = packageFolder.appendingPathComponent("Sources")
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift") {
      let file = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      guard file.contains("Documentation/") else { continue }
      // A comment goes on in the next line.
      let text = file.split(separator: "\n").map { $0.drop { " /".contains($0) } }.joined(separator: " ")
      for reference in text.matches(of: /(?<page>Documentation\/[a-z0-9.-]+\.md) \((?<names>[^)]*)\)/) {
        // The longest first, since headings may have commas of their own.
        let onPage = (headings[String(reference.page)] ?? []).sorted { $0.count > $1.count }
        var rest = String(reference.names)
        while let heading = onPage.first(where: { rest == $0 || rest.hasPrefix($0 + ", ") }) {
          rest = String(rest.dropFirst(heading.count + ", ".count))
          count += 1
        }
        #expect(rest.isEmpty, "Sources/\(name): \(reference.page) has no heading \(rest)")
      }
    }
    #expect(count > 20)
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
