import Foundation

/// A way to compare texts for people: by the rules of a language, which the system knows.
public struct TextCollation: Hashable, Sendable {
  let locale: Locale

  /// Returns the order of texts in the language of `locale`: `ö` stands beside `o` in German, and after `z` in Swedish.
  ///
  /// - Parameter locale: the language; without one, that of the user.
  public static func localized(_ locale: Locale = .current) -> TextCollation { TextCollation(locale: locale) }

  /// Compares two texts in this order.
  fileprivate func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    lhs.compare(rhs, options: [], range: nil, locale: locale)
  }
}

/// An order of fetched objects by a text, as people expect it. Make it with `Post.title.ascending(.localized())`.
///
/// ```swift
/// let order: LocalizedOrder<Post> = Post.title.descending(.localized())
/// print(posts.sorted(by: order).map(\.title))
/// ```
///
/// The order depends on the system and its version. So no query, page, live result or index can have it: it only sorts
/// the objects of a result that is already fetched.
///
/// See also: ``OrderBy`` for orders of queries, Documentation/text-folding.md (The order of a language).
public struct LocalizedOrder<Element: Atom>: Sendable {
  fileprivate let node: QueryNode
  fileprivate let collation: TextCollation
  fileprivate let isDescending: Bool
}

extension Expr where ResultType == String {
  /// Returns an order of fetched objects by this text, from the first text to the last; absent texts come first.
  ///
  /// ```swift
  /// posts.sorted(by: Post.title.ascending(.localized()))
  /// ```
  ///
  /// See also: Documentation/text-folding.md (The order of a language).
  public func ascending(_ collation: TextCollation) -> LocalizedOrder<Element> {
    LocalizedOrder(node: _expression._node, collation: collation, isDescending: false)
  }

  /// Returns an order of fetched objects by this text, from the last text to the first; absent texts come last.
  public func descending(_ collation: TextCollation) -> LocalizedOrder<Element> {
    LocalizedOrder(node: _expression._node, collation: collation, isDescending: true)
  }
}

extension Sequence {
  /// Returns the objects in an order for people. Objects whose texts are equal in that order stay in the order that they have.
  ///
  /// ```swift
  /// let german = posts.sorted(by: Post.title.ascending(.localized(Locale(identifier: "de"))))
  /// ```
  ///
  /// Sort a whole result: if a result has a limit, the fetch has chosen its objects by another order.
  ///
  /// An object that is too large or nested too deep to be stored stands among those without a text.
  ///
  /// - Complexity: that of encoding each object, and O(*n* log *n*) comparisons of texts by the system.
  public func sorted(by order: LocalizedOrder<Element>) -> [Element] where Element: FlatBuffersEncodable {
    let objects = Array(self)
    let texts = QueryExpression<String, Element>(node: order.node).values(of: objects)
    func result(_ lhs: String?, _ rhs: String?) -> ComparisonResult {
      switch (lhs, rhs) {
      case (nil, nil): .orderedSame
      case (nil, _): .orderedAscending
      case (_, nil): .orderedDescending
      case (let lhs?, let rhs?): order.collation.compare(lhs, rhs)
      }
    }
    let ordered: ComparisonResult = order.isDescending ? .orderedDescending : .orderedAscending
    return objects.indices.sorted { lhs, rhs in
      let result = result(texts[lhs], texts[rhs])
      return result == .orderedSame ? lhs < rhs : result == ordered
    }.map { objects[$0] }
  }
}
