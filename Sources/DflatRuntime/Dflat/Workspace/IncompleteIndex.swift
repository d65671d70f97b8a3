/// The error of an index that could not be completed.
///
/// Either stored objects have the same value of a unique field, or other processes keep writing to the type while the
/// index is verified. The error handler has been given the details.
public struct IncompleteIndex: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the type.
  public let type: String

  package init(type: String) { self.type = type }

  /// The error as an English text.
  public var description: String {
    "An index of \(type) is not complete: stored objects have the same value of a unique field, or others write to them all the time."
  }
}
