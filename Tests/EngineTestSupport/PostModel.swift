import Dflat
import Golden_post
import TestSupport

/// What the store ought to hold, kept in the plainest way.
package struct PostModel {
  package var rows: [Int64: Post] = [:]

  package init() {}

  /// The objects for which `condition` is true, in the order of `keys`.
  package func fetch(_ condition: PostCondition?, _ keys: [PostKey], limit: Int) -> [Post] {
    let found = rows.values.filter { condition?.holds($0) ?? true }
    let sorted = found.sorted { lhs, rhs in
      for key in keys {
        let order = key.order(lhs, rhs)
        if order != 0 { return order < 0 }
      }
      return lhs._rowid < rhs._rowid
    }
    return Array(sorted.prefix(limit))
  }

  package func row(ofTitle title: String) -> Post? {
    rows.values.first { $0.title.utf8.elementsEqual(title.utf8) }
  }
}

/// A condition as a query, and what it means, told a second time.
package struct PostCondition: CustomStringConvertible {
  package let description: String
  package let query: QueryExpression<Bool, Post>
  package let truth: (Post) -> Bool?

  package func holds(_ post: Post) -> Bool { truth(post) == true }
}

/// An order as a query has it, and what it means.
package struct PostKey: CustomStringConvertible {
  package let description: String
  package let orderBy: OrderBy<Post>
  package let order: (Post, Post) -> Int
}

/// Makes conditions, orders and values at random.
package struct PostGenerator {
  package var random: SeededGenerator

  package init(random: SeededGenerator) {
    self.random = random
  }

  /// Strings that are easily confused: empty, with NUL, equal in Unicode and not in bytes, equal but for case and diacritics.
  package static let strings = [
    "", "\0", "a", "a\0", "a\0b", "ab", "é", "e\u{301}", "É", "Z", "z", "ß", "sS", "日本", "\u{10FFFF}", "'\"%_",
  ]
  package static let numbers: [Int32] = [.min, .min + 1, -3, -1, 0, 1, 2, 3, 100, .max - 1, .max]
  package static let colors: [Color] = [.red, .green, .blue]

  package mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  package mutating func title() -> String { pick(PostGenerator.strings) + pick(PostGenerator.strings) }

  package mutating func content() -> Content? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .textContent(TextContent(text: chance(30) ? nil : pick(PostGenerator.strings)))
    case 1:
      .imageContent(
        ImageContent(images: (0..<pick([1, 1, 2, 5])).map { _ in pick(PostGenerator.strings) }))
    case 2: .imageContent(ImageContent())
    default: nil
    }
  }

  package mutating func post(title: String) -> Post {
    Post(
      title: title, color: pick(PostGenerator.colors), tag: chance(30) ? nil : pick(PostGenerator.strings),
      priority: pick(PostGenerator.numbers), content: content())
  }

  package mutating func condition(depth: Int) -> PostCondition {
    if depth > 0 {
      let lhs = condition(depth: depth - 1)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let rhs = condition(depth: depth - 1)
        return PostCondition(description: "(\(lhs) && \(rhs))", query: lhs.query && rhs.query) { post in
          switch (lhs.truth(post), rhs.truth(post)) {
          case (false, _), (_, false): false
          case (true, true): true
          default: nil
          }
        }
      case 2:
        let rhs = condition(depth: depth - 1)
        return PostCondition(description: "(\(lhs) || \(rhs))", query: lhs.query || rhs.query) { post in
          switch (lhs.truth(post), rhs.truth(post)) {
          case (true, _), (_, true): true
          case (false, false): false
          default: nil
          }
        }
      case 3:
        return PostCondition(description: "!\(lhs)", query: !lhs.query) { lhs.truth($0).map { !$0 } }
      default: return lhs
      }
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 12...: return imagesCondition()
    case 9...: return textCondition()
    case 0: return comparison("title", Post.title, title()) { Array($0.title.utf8) }
    case 1: return comparison("tag", Post.tag, pick(PostGenerator.strings)) { $0.tag.map { Array($0.utf8) } }
    case 2, 3: return comparison("priority", Post.priority, pick(PostGenerator.numbers)) { [Int64($0.priority)] }
    case 4: return comparison("color", Post.color, pick(PostGenerator.colors)) { [Int64($0.color.rawValue)] }
    case 5:
      let list = (0..<Int.random(in: 0..<4, using: &random)).map { _ in pick(PostGenerator.numbers) }
      return PostCondition(description: "priority in \(list)", query: Post.priority.in(list)) {
        list.contains($0.priority)
      }
    case 6:
      return PostCondition(description: "tag.isNull", query: Post.tag.isNull) { $0.tag == nil }
    case 7:
      return PostCondition(description: "match(TextContent)", query: Post.content.match(TextContent.self)) {
        switch $0.content {
        case .textContent: true
        case .imageContent: false
        case nil: nil
        }
      }
    default:
      let divisor: Int32 = pick([2, 3, -1, 7])
      let remainder: Int32 = pick([0, 1, -1])
      return PostCondition(
        description: "priority % \(divisor) + 1 == \(remainder)",
        query: Post.priority % divisor + 1 == remainder
      ) { Int64($0.priority) % Int64(divisor) + 1 == Int64(remainder) }
    }
  }

  /// A condition on a vector, which is empty if the content is another.
  private mutating func imagesCondition() -> PostCondition {
    let images = Post.content.as(ImageContent.self).images
    let text = pick(PostGenerator.strings)
    let list = [text, pick(PostGenerator.strings)]
    func condition(
      _ description: String, _ query: QueryExpression<Bool, Post>, _ holds: @escaping ([String]) -> Bool
    ) -> PostCondition {
      PostCondition(description: "images.\(description)", query: query) { post in
        if case .imageContent(let content) = post.content { holds(content.images) } else { holds([]) }
      }
    }
    func isSame(_ lhs: String, _ rhs: String) -> Bool { lhs.utf8.elementsEqual(rhs.utf8) }
    let description = text.debugDescription
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return condition("contains(\(description))", images.contains(text)) { $0.contains { isSame($0, text) } }
    case 1:
      return condition("contains(anyOf: \(list))", images.contains(anyOf: list)) { images in
        images.contains { image in list.contains { isSame(image, $0) } }
      }
    case 2:
      return condition(
        "contains { $0.hasPrefix(\(description)) && $0.length < 2 }",
        images.contains { $0.hasPrefix(text) && $0.length < 2 }
      ) { $0.contains { $0.utf8.starts(with: text.utf8) && $0.unicodeScalars.count < 2 } }
    case 3: return condition("isEmpty", images.isEmpty) { $0.isEmpty }
    default: return condition("count < 2", images.count < 2) { $0.count < 2 }
    }
  }

  private mutating func comparison<Value: DflatFriendlyValue, Key: Comparable>(
    _ name: String, _ field: QueryExpression<Value, Post>, _ constant: Value, _ key: @escaping (Post) -> [Key]?
  ) -> PostCondition {
    let constantKey: [Key] = self.key(constant)
    func condition(
      _ operation: String, _ query: QueryExpression<Bool, Post>, _ holds: @escaping (Bool, Bool) -> Bool
    ) -> PostCondition {
      PostCondition(description: "\(name) \(operation) \(constant)", query: query) { post in
        key(post).map { holds($0.lexicographicallyPrecedes(constantKey), $0 == constantKey) }
      }
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return condition("==", field == constant) { $1 }
    case 1: return condition("!=", constant != field) { !$1 }
    case 2: return condition("<", field < constant) { less, _ in less }
    case 3: return condition("<=", field <= constant) { $0 || $1 }
    case 4: return condition(">", constant < field) { !$0 && !$1 }
    default: return condition(">=", field >= constant) { less, _ in !less }
    }
  }

  private func key<Key>(_ constant: some DflatFriendlyValue) -> [Key] {
    switch constant {
    case let text as String: Array(text.utf8) as? [Key] ?? []
    case let color as Color: [Int64(color.rawValue)] as? [Key] ?? []
    case let number as Int32: [Int64(number)] as? [Key] ?? []
    default: []
    }
  }

  package mutating func keys() -> [PostKey] {
    (0..<Int.random(in: 0..<3, using: &random)).map { _ in
      switch Int.random(in: 0..<6, using: &random) {
      case 5:
        key("tag.folded", Post.tag.folded) {
          $0.tag.map { Array(TextModel.folded($0, foldsDiacritics: true).utf8).map(Int64.init) }
        }
      case 0: key("title", Post.title) { Array($0.title.utf8).map(Int64.init) }
      case 1: key("tag", Post.tag) { $0.tag.map { Array($0.utf8).map(Int64.init) } }
      case 2: key("color", Post.color) { [Int64($0.color.rawValue)] }
      case 3:
        PostKey(description: "firstIndex", orderBy: [.blue, .red].firstIndex(of: Post.color)) { lhs, rhs in
          let ranks: [Color: Int] = [.blue: 0, .red: 1]
          return (ranks[lhs.color] ?? -1) - (ranks[rhs.color] ?? -1)
        }
      default: key("priority", Post.priority) { [Int64($0.priority)] }
      }
    }
  }

  private mutating func key<Value>(
    _ name: String, _ field: QueryExpression<Value, Post>, _ value: @escaping (Post) -> [Int64]?
  ) -> PostKey {
    func order(_ lhs: Post, _ rhs: Post) -> Int {
      switch (value(lhs), value(rhs)) {
      case (nil, nil): 0
      case (nil, _?): -1
      case (_?, nil): 1
      case (let lhs?, let rhs?): lhs == rhs ? 0 : lhs.lexicographicallyPrecedes(rhs) ? -1 : 1
      }
    }
    return chance(50)
      ? PostKey(description: "\(name).ascending", orderBy: field.ascending, order: order)
      : PostKey(description: "\(name).descending", orderBy: field.descending) { order($1, $0) }
  }
}
