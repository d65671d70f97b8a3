import Dflat
import EngineTestSupport
import Golden_codable
import Golden_post
import Testing

@testable import SQLiteDflat

/// A query sees what a row holds. The object of a row from a newer schema shows a default for the case of an enum that it
/// does not know; a query for that default does not find it, by whatever path.
@Suite("Queries handle values that this version does not know, and strings in unions")
struct UnknownValueTests {
  /// Posts of which every third has a color that is not known here.
  private func storeOfPosts() throws -> TestStore {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for post in UnknownCasePageChecks.posts { context.try(submit: PostChangeRequest.creationRequest(post)) }
    }
    for (number, hex) in try UnknownCasePageChecks.unknown() {
      try store.damage("UPDATE post SET p = x'\(hex)' WHERE __pk0 = '\(number)'")
    }
    return store
  }

  @Test("An unknown case equals no known one")
  func anUnknownCaseIsNoKnownOne() throws {
    let store = try storeOfPosts()
    let posts = store.workspace.fetch(for: Post.self)
    #expect(posts.all().map(\.color.rawValue) == [0, 0, 2, 0, 0, 2, 0, 0, 2])
    #expect(posts.where(Post.color == .red).map(\.title) == ["1", "4", "7"])
    #expect(posts.count(where: Post.color == .red) == 3)
    #expect(posts.where(Post.color != .red && Post.priority < 4).map(\.title) == ["0", "2", "3"])
    #expect(posts.where(Post.color.notIn(Color.allCases)).map(\.title) == ["0", "3", "6"])
    #expect(posts.where(Post.color > .blue).count == 3 && posts.where(Post.color.isNull).isEmpty)
    store.perform([Post.self]) { context in
      #expect(posts.where(Post.color == .red).map(\.title) == ["1", "4", "7"])
      // The object as this version shows it, once it is stored again.
      let request = PostChangeRequest.changeRequest(Post(title: "3"))
      request?.priority = 30
      request.map { _ = context.try(submit: $0) }
      #expect(posts.where(Post.color == .red).map(\.title) == ["1", "3", "4", "7"])
    }
    #expect(store.errors.values.isEmpty)
  }

  @Test("Pages continue past a value that the enum does not know")
  func pagesGoOnAfterAnUnknownCase() throws {
    let store = try storeOfPosts()
    let posts = store.workspace.fetch(for: Post.self)
    let order = [Post.color.ascending]
    let all = posts.all(orderBy: order).map(\.title)
    #expect(all == ["1", "4", "7", "2", "5", "8", "6", "3", "0"])
    var titles: [String] = []
    var last: Post?
    repeat {
      let page = posts.all(limit: .limit(1), orderBy: order, after: last)
      titles += page.map(\.title)
      last = page.last
    } while last != nil && titles.count <= all.count
    #expect(titles == all)
  }

  @Test("A subscriber to a page after a value that the enum does not know is told of it as a fetch finds it")
  func subscribedPage() throws {
    let store = try storeOfPosts()
    let other = store.reopened()
    try UnknownCasePageChecks(store.workspace).checkSubscriber(beside: other)
    other.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A subscriber to a page after such a value is told of it although the page's own fetch has failed")
  func pageOfAFailedFetch() throws {
    let store = try storeOfPosts()
    let checks = UnknownCasePageChecks(store.workspace)
    let post = try checks.lastPost()
    try store.workspace.suspend(within: .seconds(patience))
    let page = checks.page(after: post)
    store.workspace.resume()
    #expect(page.isEmpty && !store.errors.values.isEmpty)
    let told = Collected<[String]>()
    let subscription = store.workspace.subscribe(fetchedResult: page) { told.append($0.map(\.title)) }
    #expect(eventually { told.values == [UnknownCasePageChecks.titles] }, "\(told.values)")
    checks.setPriority("2", 20)
    #expect(eventually { told.count == 2 })
    #expect(told.values.last == UnknownCasePageChecks.titles)
    subscription.cancel()
  }

  @Test("A condition on a string in a union compares the string's value")
  func aStringInAUnionIsAskedByValue() throws {
    let store = try TestStore()
    let contents: [Golden_codable.Content?] = [
      .plain("a"), .plain(""), nil, .caption(Caption(text: "a")), .plain("b\0"), .empty(Empty()),
    ]
    store.perform([Photo.self]) { context in
      for (number, content) in contents.enumerated() {
        context.try(
          submit: PhotoChangeRequest.creationRequest(
            Photo(title: "p", number: UInt32(number), origin: Point(), content: content)))
      }
    }
    let photos = store.workspace.fetch(for: Photo.self)
    func numbers(_ query: QueryExpression<Bool, Photo>) -> [UInt32] { photos.where(query).map(\.number) }
    let plain = Photo.content.as(String.self)
    #expect(numbers(plain == "a") == [0])
    #expect(numbers(plain >= "") == [0, 1, 4])
    #expect(numbers(plain != "a") == [1, 4])
    #expect(numbers(plain.isNull) == [2, 3, 5])
    #expect(numbers(plain.in(["b\0", "c"])) == [4])
    #expect(photos.count(where: plain < "b") == 2)
    #expect(photos.all(orderBy: [plain.descending]).map(\.number) == [4, 0, 1, 2, 3, 5])
    #expect(photos.all(limit: .limit(2), orderBy: [plain.descending], after: photos.all()[4]).map(\.number) == [0, 1])
  }
}
