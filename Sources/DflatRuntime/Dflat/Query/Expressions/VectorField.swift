/// A vector field of an `Element` in a query.
///
/// ```swift
/// let images = Post.content.as(ImageContent.self).images
/// let posts = workspace.fetch(for: Post.self).where(images.contains("a.png") && images.count > 1)
/// ```
///
/// An absent vector counts as an empty one, as in an object: its count is 0, and it contains nothing. The same holds
/// for a vector in a table that is absent, or in another member of a union. No condition on a vector is NULL.
///
/// `Item` is the type of the value that stands for an element in a condition: an expression for a vector of single
/// values, `Fields` for a vector of tables or structs, a `UnionField` for a vector of unions.
///
/// Without an index, a condition looks at the elements of each row that the rest of the query leaves, until one
/// satisfies it. No object is created.
///
/// See also: ``QueryExpression``, Documentation/vectors.md.
public struct VectorField<Item, Element: Atom>: Sendable {
  private let vector: RecordVector
  private let item: @Sendable (FieldPath) -> Item

  /// Creates a vector of tables or structs.
  ///
  /// - Parameters:
  ///   - vector: the vector.
  ///   - fields: returns the fields of an element, which are at the end of a path.
  public init(_ vector: RecordVector, _ fields: @escaping @Sendable (FieldPath) -> Item) {
    self.vector = vector
    item = fields
  }

  /// Creates a vector of single values.
  ///
  /// - Parameters:
  ///   - vector: the vector.
  ///   - perOne: how many of the elements' unit make one second, or one whole; see `QueryExpression`.
  public init<Value>(_ vector: RecordVector, perOne: Int64 = 1) where Item == QueryExpression<Value, Element> {
    let storage: FieldStorage = if case .value(let storage) = vector.element { storage } else { .int8 }
    self.init(vector) { QueryExpression(RecordField($0, storage, at: 0), perOne: perOne) }
  }

  /// Creates a vector of unions.
  public init<Union>(_ vector: RecordVector) where Item == UnionField<Union, Element> {
    let codeSize = if case .union(let codeSize) = vector.element { codeSize } else { 1 }
    self.init(vector) { UnionField($0, at: 0, codeSize: codeSize) }
  }
}

extension VectorField: _QueryPart {}

extension VectorField {
  /// The number of elements; 0 if the vector is absent. In a vector of unions, elements without a member count, and so
  /// do elements whose member this version of the schema does not know.
  public var count: QueryExpression<Int, Element> { .init(node: .count(vector)) }

  /// Whether there are no elements, or the vector is absent.
  public var isEmpty: QueryExpression<Bool, Element> { count == 0 }

  /// Returns the condition that an element satisfies `condition`.
  ///
  /// ```swift
  /// let images = Post.content.as(ImageContent.self).images
  /// let posts = workspace.fetch(for: Post.self).where(images.contains { $0.hasSuffix(".png") || $0 == Post.title })
  /// ```
  ///
  /// The condition may use other fields of the object, and may contain a condition on a vector of the element. Use the
  /// fields of the element only within the condition: outside of it, they are NULL.
  ///
  /// - Parameter condition: returns the condition for an element. It is called once, at once.
  public func contains(
    where condition: (Item) throws -> QueryExpression<Bool, Element>
  ) rethrows -> QueryExpression<Bool, Element> {
    let level = ElementLevel.current
    let node = try ElementLevel.$current.withValue(level + 1) { try condition(item(.element(level: level)))._node }
    return .init(node: .hasElement(vector, level: level, node))
  }

  /// Returns the condition that one of the elements is `value`. NaN is no element's value.
  ///
  /// ```swift
  /// let posts = workspace.fetch(for: Post.self).where(Post.content.as(ImageContent.self).images.contains("a.png"))
  /// ```
  ///
  /// An index of the vector answers it.
  ///
  /// See also: Documentation/vectors.md (Indexes).
  public func contains<Value: QueryConstant>(_ value: Value) -> QueryExpression<Bool, Element>
  where Item == QueryExpression<Value, Element> {
    contains { $0 == value }
  }

  /// Returns the condition that one of the elements is one of `values`; false if there are no `values`.
  public func contains<Value: QueryConstant>(anyOf values: some Sequence<Value>) -> QueryExpression<Bool, Element>
  where Item == QueryExpression<Value, Element> {
    contains { $0.in(values) }
  }
}

/// The number of conditions on elements around the code that runs now. A condition's level tells the fields of its
/// element from the fields of the elements around it.
enum ElementLevel {
  @TaskLocal static var current = 0
}
