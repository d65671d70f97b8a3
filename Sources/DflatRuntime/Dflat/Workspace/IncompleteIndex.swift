/// An index of a type could not be completed: stored objects have the same value of a unique field, or others write all the time beside
/// the index. The error handler was told more.
public struct IncompleteIndex: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the type.
  public let type: String

  package init(type: String) { self.type = type }

  /// The error as an English text.
  public var description: String {
    "An index of \(type) is not complete: stored objects have the same value of a unique field, or others write to them all the time."
  }
}
