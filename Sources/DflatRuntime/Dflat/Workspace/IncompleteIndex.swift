/// The error of an index that could not be completed, because other processes keep writing to the type while the index
/// is verified. Try again later.
public struct IncompleteIndex: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the type.
  public let type: String

  package init(type: String) { self.type = type }

  /// The error as an English text.
  public var description: String {
    "An index of \(type) is not complete: other processes write to its objects all the time."
  }
}
