import Dflat
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A fetched result is sorted for people")
struct LocalizedOrderTests {
  private func titles(_ posts: [Post]) -> [String] { posts.map(\.title) }

  @Test("Texts are in the order of the language that is asked for")
  func languages() throws {
    let store = try PostStore()
    store.insert("zebra", "öl", "Apfel", "ol", "apfel", "item 10")
    let posts = store.workspace.fetch(for: Post.self).all()
    let (german, swedish) = (Locale(identifier: "de"), Locale(identifier: "sv"))
    #expect(
      titles(posts.sorted(by: Post.title.ascending(.localized(german))))
        == ["apfel", "Apfel", "item 10", "ol", "öl", "zebra"])
    #expect(
      titles(posts.sorted(by: Post.title.ascending(.localized(swedish))))
        == ["apfel", "Apfel", "item 10", "ol", "zebra", "öl"])
    #expect(
      titles(posts.sorted(by: Post.title.descending(.localized(swedish))))
        == ["öl", "zebra", "ol", "item 10", "Apfel", "apfel"])
  }

  @Test("Objects with equal texts keep their order in both directions, and those without a text are at one end")
  func equalTexts() {
    let tags: [String?] = ["b", nil, "a", "b", nil, "a"]
    let posts = tags.enumerated().map { Post(title: "\($0)", tag: $1) }
    let locale = Locale(identifier: "en")
    #expect(titles(posts.sorted(by: Post.tag.ascending(.localized(locale)))) == ["1", "4", "2", "5", "0", "3"])
    #expect(titles(posts.sorted(by: Post.tag.descending(.localized(locale)))) == ["0", "3", "2", "5", "1", "4"])
    #expect(posts.prefix(0).sorted(by: Post.tag.ascending(.localized(locale))).isEmpty)
  }

  @Test("An expression over the text can be asked for, and the user's language is the default")
  func expressions() throws {
    let store = try PostStore()
    store.insert("É", "e", "F")
    let posts = store.workspace.fetch(for: Post.self).all()
    // Folded, both are the same text, and keep their order.
    let folded = Post.title.folded.ascending(.localized(Locale(identifier: "en")))
    #expect(titles(posts.sorted(by: folded)) == ["É", "e", "F"])
    #expect(posts.sorted(by: Post.title.ascending(.localized())).count == 3)
  }
}
