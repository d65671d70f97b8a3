/// The fields of a table or struct within an object, for use in a query: the type `Fields` that `dflatc` generates
/// for each.
///
/// The protocol requires nothing, so it adds no code to a type. It keeps the types nonisolated; see
/// `NonisolatedByDefault`.
public protocol NestedFields: _QueryPart, Sendable {}
