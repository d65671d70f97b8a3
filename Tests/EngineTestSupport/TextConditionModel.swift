import Dflat
import Golden_post

extension PostGenerator {
  /// A condition on a text that is there in each post, or on one that may be absent.
  mutating func textCondition() -> PostCondition {
    chance(50) ? textCondition("title", Post.title) { $0.title } : textCondition("tag", Post.tag) { $0.tag }
  }

  private mutating func textCondition(
    _ name: String, _ field: QueryExpression<String, Post>, _ text: @escaping (Post) -> String?
  ) -> PostCondition {
    let part = chance(70) ? pick(PostGenerator.strings) : title()
    func condition(
      _ description: String, _ query: QueryExpression<Bool, Post>, _ holds: @escaping (String) -> Bool
    ) -> PostCondition {
      PostCondition(description: "\(name).\(description)", query: query) { text($0).map(holds) }
    }
    let description = "(\(part.debugDescription))"
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return condition("hasPrefix" + description, field.hasPrefix(part)) { $0.utf8.starts(with: part.utf8) }
    case 1:
      return condition("hasSuffix" + description, field.hasSuffix(part)) {
        $0.utf8.reversed().starts(with: part.utf8.reversed())
      }
    case 2: return condition("contains" + description, field.contains(part)) { TextModel.contains($0, part) }
    case 3: return condition("isEmpty", field.isEmpty) { $0.utf8.isEmpty }
    default:
      let length = Int.random(in: 0...4, using: &random)
      return condition("length > \(length)", field.length > length) { $0.unicodeScalars.count > length }
    }
  }
}

/// What conditions on texts mean, told in the plainest way.
package enum TextModel {
  package static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }
}
