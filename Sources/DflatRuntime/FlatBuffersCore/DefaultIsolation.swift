// An app may have all its declarations belong to the main actor unless they say otherwise: SE-0466, the default of new Xcode
// projects. Stores work on other threads, so what `dflatc` generates must not. A type stays nonisolated if a protocol that it
// conforms to inherits from `SendableMetatype`, which `Sendable` does. Protocols of types that need not be `Sendable` inherit
// from this instead.

#if compiler(>=6.2)
  /// A protocol inherits from this so that the types that conform to it do not belong to the main actor by default.
  public typealias NonisolatedByDefault = SendableMetatype
#else
  /// Empty, since this version of Swift isolates no type by default.
  public typealias NonisolatedByDefault = Any
#endif
