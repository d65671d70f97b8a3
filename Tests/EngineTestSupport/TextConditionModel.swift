import Dflat
import Foundation
import Golden_post

extension PostGenerator {
  /// A condition on a text that is there in each post, or on one that may be absent.
  mutating func textCondition() -> PostCondition {
    chance(50) ? textCondition("title", Post.title) { $0.title } : textCondition("tag", Post.tag) { $0.tag }
  }

  private mutating func textCondition(
    _ name: String, _ field: QueryExpression<String, Post>, _ text: @escaping (Post) -> String?
  ) -> PostCondition {
    if chance(50) { return foldedCondition(name, field, text) }
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

extension PostGenerator {
  /// A condition on a text without differences of case, or of case and diacritics.
  private mutating func foldedCondition(
    _ name: String, _ field: QueryExpression<String, Post>, _ text: @escaping (Post) -> String?
  ) -> PostCondition {
    let foldsDiacritics = chance(50)
    let field = foldsDiacritics ? field.folded : field.foldedCase
    let constant = chance(70) ? pick(PostGenerator.strings) : title()
    let list = [pick(PostGenerator.strings), constant]
    func fold(_ text: String) -> [UInt8] { Array(TextModel.folded(text, foldsDiacritics: foldsDiacritics).utf8) }
    func condition(
      _ description: String, _ query: QueryExpression<Bool, Post>, _ holds: @escaping ([UInt8]) -> Bool
    ) -> PostCondition {
      let description = "\(name).\(foldsDiacritics ? "folded" : "foldedCase")\(description)"
      return PostCondition(description: description, query: query) { text($0).map { holds(fold($0)) } }
    }
    let description = constant.debugDescription
    let folded = fold(constant)
    func precedes(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool { lhs.lexicographicallyPrecedes(rhs) }
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1: return condition(" == \(description)", field == constant) { $0 == folded }
    case 2: return condition(" != \(description)", constant != field) { $0 != folded }
    case 3: return condition(" < \(description)", field < constant) { precedes($0, folded) }
    case 4: return condition(" <= \(description)", field <= constant) { !precedes(folded, $0) }
    case 5: return condition(" > \(description)", constant < field) { precedes(folded, $0) }
    case 6: return condition(" >= \(description)", field >= constant) { !precedes($0, folded) }
    case 7: return condition(" in \(list)", field.in(list)) { list.map(fold).contains($0) }
    case 8: return condition(".hasPrefix(\(description))", field.hasPrefix(constant)) { $0.starts(with: folded) }
    case 9:
      return condition(".hasSuffix(\(description))", field.hasSuffix(constant)) {
        $0.reversed().starts(with: folded.reversed())
      }
    case 10: return condition(".isEmpty", field.isEmpty) { $0.isEmpty }
    case 11:
      let length = Int.random(in: 0...4, using: &random)
      return condition(".length < \(length)", field.length < length) { text in
        // Of the bytes of a scalar, only the first is no continuation.
        text.count { $0 & 0xC0 != 0x80 } < length
      }
    default:
      return condition(".contains(\(description))", field.contains(constant)) { TextModel.contains($0, folded) }
    }
  }
}

/// What conditions on texts mean, told in the plainest way.
package enum TextModel {
  /// The folding of texts that `PostGenerator` makes, by the tables of the system.
  package static func folded(_ text: String, foldsDiacritics: Bool) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let parts =
        foldsDiacritics
        ? String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars : "\(scalar)".unicodeScalars
      for part in parts where !foldsDiacritics || part.properties.canonicalCombiningClass.rawValue < 200 {
        folded += (part == "ß" ? "ss" : part.properties.lowercaseMapping).unicodeScalars
      }
    }
    return String(folded)
  }

  package static func contains(_ text: String, _ part: String) -> Bool { contains(Array(text.utf8), Array(part.utf8)) }

  package static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }
}
