/// The advice about a name that is not in a rule's style.
enum NameAdvice {
  /// Returns the advice to change a name so that it has a style.
  ///
  /// - Parameter taken: the names in the same scope, which it must not get.
  static func rename(_ name: String, in style: NameStyle, taken: Set<String> = []) -> String {
    let other = style.written(name)
    // A name of digits and underscores alone has no words to spell in another style.
    guard style.accepts(other), other != name, other.utf8.first?.isDigit == false else {
      return "rename it, as in `\(style.written("some_name"))`"
    }
    guard !taken.contains(other) else { return "rename it: `\(other)` is taken" }
    return "call it `\(other)`"
  }
}
