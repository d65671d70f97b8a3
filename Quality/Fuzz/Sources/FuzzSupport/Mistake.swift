/// What a job found to be wrong in dflat.
public struct Mistake: Error, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  /// What is wrong.
  public init(_ description: String) {
    self.description = description
  }
}
