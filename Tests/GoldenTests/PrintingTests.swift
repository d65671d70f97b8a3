import Foundation
import Golden_post
import Golden_recursive
import Golden_values
import Testing

/// The texts are those of Swift's own structs: cases of enums with their type, optionals as such, strings in quotation marks.
@Suite("Generated objects print their fields")
struct PrintingTests {
  private let post = Post(title: "a", color: .green, priority: 3, content: .textContent(TextContent(text: "b")))

  private let text = """
    Post(title: "a", color: Golden_post.Color.green, tag: nil, priority: 3, content: \
    Optional(Golden_post.Content.textContent(Golden_post.TextContent(text: Optional("b")))))
    """

  @Test("An object is printed with its fields by name")
  func anObjectIsPrintedWithItsFieldsByName() {
    var printed = ""
    print(post, terminator: "", to: &printed)
    #expect(printed == text)
    #expect("\(post)" == text)
    #expect(String(reflecting: post) == "Golden_post." + text)
    #expect("\([post])" == "[Golden_post.\(text)]")
  }

  @Test("A stored object is printed without its row number")
  func aStoredObjectIsPrintedWithoutItsRow() async throws {
    try await withWorkspace { workspace in
      await workspace.performChanges([Post.self]) { [post] transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      }
      let stored = try #require(workspace.fetch(for: Post.self).all().first)
      #expect(stored._rowid != 0)
      #expect("\(stored)" == text)
    }
  }

  @Test("A mirror has an object's fields and no other children")
  func aMirrorHasTheFieldsAndNothingElse() {
    let mirror = Mirror(reflecting: post)
    #expect(ObjectIdentifier(mirror.subjectType) == ObjectIdentifier(Post.self))
    #expect(mirror.children.map(\.label) == ["title", "color", "tag", "priority", "content"])
    #expect(mirror.children.first?.value as? String == "a")
    #expect(mirror.superclassMirror == nil)
    #expect(mirror.descendant("content", "some", "textContent", "text") as? String == "b")
  }

  @Test("A dump shows the fields of nested objects, and no hidden ones")
  func aDumpShowsTheFieldsOfNestedObjects() {
    var dumped = ""
    dump(Outline(id: 1, parent: Outline(id: 2)), to: &dumped)
    #expect(dumped.contains("- id: 2\n"))
    #expect(!dumped.replacing("Golden_recursive", with: "").contains("_"), "\(dumped)")
  }

  @Test("Indirect fields are printed under their own names")
  func fieldsThatAreKeptElsewhereArePrintedUnderTheirNames() {
    let node = Node(name: "a", next: Node(name: "b"))
    #expect("\(node)" == #"Node(name: Optional("a"), next: Node(…), children: [])"#)
    #expect("\(Node())" == "Node(name: nil, next: nil, children: [])")
    #expect(
      "\(Outline(id: 1, first: node, parent: Outline(id: 2)))" == """
        Outline(id: 1, first: Optional(Golden_recursive.Node(name: Optional("a"), next: Node(…), children: [])), pair: nil, \
        term: nil, parent: Optional(Golden_recursive.Outline(id: 2, first: nil, pair: nil, term: nil, parent: nil)))
        """)
  }

  @Test("The fields of a struct that stand for other types are printed under their own names")
  func fieldsOfAStructThatStandForOtherTypes() {
    let period = Shop.Period(slack: .seconds(60))
    #expect("\(period)".hasPrefix("Period(from: "))
    let mirror = Mirror(reflecting: period)
    #expect(mirror.children.map(\.label) == ["from", "until", "slack"])
    #expect(mirror.descendant("slack") as? Duration == .seconds(60))
  }

  @Test("A mirror has the values of indirect fields")
  func aMirrorHasTheValuesThatAreKeptElsewhere() {
    let mirror = Mirror(reflecting: Node(next: Node(name: "b")))
    #expect(mirror.children.map(\.label) == ["name", "next", "children"])
    #expect(mirror.descendant("next", "some", "name", "some") as? String == "b")
  }

  @Test("Printing an object with a chain of 100,000 nested tables succeeds")
  func aLongChainIsPrinted() {
    var node = Node(name: "last")
    for _ in 1..<100_000 { node = Node(next: node) }
    #expect("\(Outline(id: 1, first: node))".contains("next: Node(…)"))
  }
}
