/// An emitter that is no part of the compiler, such as a program that a user names.
public protocol OutsideEmitter: Sendable {
  /// The name that messages give it.
  var name: String { get }

  /// What it makes of a valid schema.
  /// - Parameters:
  ///   - generator: What the emitters of the run make their output with: it has the schema, and its names in Swift.
  ///   - outputNames: What inputs are called in their outputs, by their paths, if not by the last component of them.
  /// - Throws: `OutsideEmitterFailure`
  func files(
    for generator: Generator, outputNames: [String: String]
  ) throws(OutsideEmitterFailure) -> [GeneratedFile]
}

/// Why an emitter outside of the compiler has no files to give.
public enum OutsideEmitterFailure: Error, Hashable, Sendable {
  /// It says that something is wrong with the schema.
  case refused(String)
  /// It did not do what an emitter has to do.
  case failed(String)
}
