/// The fields of a table or struct within an object, for use in a query: the type `Fields` that `dflatc` generates for each.
///
/// Nothing is required of it, so that Swift compiles nothing more for each type. It is there to keep them nonisolated; see
/// `NonisolatedByDefault`.
public protocol NestedFields: _QueryPart, Sendable {}
