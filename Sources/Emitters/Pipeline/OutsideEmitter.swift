/// An emitter that is not part of the compiler, such as a program that a user names.
public protocol OutsideEmitter: Sendable {
  /// The name that messages use.
  var name: String { get }

  /// Returns the output for a valid schema.
  /// - Parameters:
  ///   - generator: the generator of the run, which has the schema and its names in Swift.
  ///   - outputNames: the names of inputs in their outputs, by the inputs' paths. Without one, it is the last component
  ///     of the path.
  /// - Throws: `OutsideEmitterFailure`
  func files(
    for generator: Generator, outputNames: [String: String]
  ) throws(OutsideEmitterFailure) -> [GeneratedFile]
}

/// The reason why an `OutsideEmitter` returns no files.
public enum OutsideEmitterFailure: Error, Hashable, Sendable {
  /// The emitter refuses the schema, with this message.
  case refused(String)
  /// The emitter has failed, for this reason.
  case failed(String)
}
