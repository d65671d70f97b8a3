/// What to say about a name that is written in another way than a rule asks for.
enum NameAdvice {
  /// - Parameter taken: The names beside it, which it must not be given.
  static func rename(_ name: String, in style: NameStyle, taken: Set<String> = []) -> String {
    let other = style.written(name)
    // A name of digits and underscores alone has no words to write in another way.
    guard style.accepts(other), other != name, other.utf8.first?.isDigit == false else {
      return "rename it, as in `\(style.written("some_name"))`"
    }
    guard !taken.contains(other) else { return "rename it: `\(other)` is taken" }
    return "call it `\(other)`"
  }
}
