import FlatBuffersCore

/// A field of an `Element`, or an expression over its fields, whose value is a `Value`.
///
/// ```swift
/// Post.priority > 0 && Post.color != .blue
/// Post.title.in(["Alpha", "Gamma"])
/// Post.tag == nil || Post.priority % 2 == 0
/// Post.title.hasPrefix("Al") || Post.title.folded.contains("MM")
/// ```
///
/// Expressions are built from the generated fields with `== != < <= > >=`, `&& || !`, `+ - %`, `in`, `notIn`,
/// `isNull` and `isNotNull`. A `Bool` field is a predicate by itself. `== nil` and `!= nil` are `isNull` and
/// `isNotNull`, and an optional value may stand in place of a value. A comparison with NULL, an absent value, is
/// neither true nor false, as in SQL.
///
/// A field has the stored value. An enum is stored as a number. If this version of the schema has no case for that
/// number, the value equals none of the cases and is ordered by the number, although the fetched object has the
/// default case.
///
/// Making an expression reads nothing, and any thread may do it. Conditions can be put together at run time:
///
/// ```swift
/// var condition = Post.priority > 0
/// for word in ["swift", "sqlite"] { condition = condition && Post.title.folded.contains(word) }
/// print(workspace.fetch(for: Post.self).count(where: condition))
/// ```
///
/// See also: ``QueryBuilder``, ``UnionField``, ``VectorField``, ``OrderBy``, Documentation/using-the-store.md
/// (Queries), Documentation/values.md (Values in queries).
public struct QueryExpression<Value, Element: Atom>: Sendable {
  /// The expression tree.
  public let _node: QueryNode
  /// The number of the field's units that make one second, or one whole: 1 for values that are stored as they are, 0
  /// for seconds with a fraction.
  let perOne: Int64

  /// Creates an expression for the value of a field.
  public init(_ field: RecordField) {
    self.init(node: .field(field))
  }

  /// Creates an expression for the value of a field that counts units of time, or of the last decimal place.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - perOne: the number of units that make one second, or one whole; 0 if the field has seconds with a fraction.
  public init(_ field: RecordField, perOne: Int64) {
    self.init(node: .field(field), perOne: perOne)
  }

  package init(node: QueryNode, perOne: Int64 = 1) {
    _node = node
    self.perOne = perOne
  }
}

extension QueryExpression {
  /// Whether the value is absent. A NaN counts as absent.
  ///
  /// ```swift
  /// let untagged = workspace.fetch(for: Post.self).where(Post.tag.isNull)
  /// ```
  ///
  /// `Post.tag == nil` means this, too.
  public var isNull: QueryExpression<Bool, Element> { .init(node: .isNull(_node)) }

  /// Whether the value is present. `Post.tag != nil` means this, too.
  public var isNotNull: QueryExpression<Bool, Element> { .init(node: .not(.isNull(_node))) }

  /// An order from the smallest value to the largest, as they are stored; absent values come first.
  ///
  /// ```swift
  /// let posts = workspace.fetch(for: Post.self).all(orderBy: Post.priority.ascending)
  /// ```
  ///
  /// See also: ``OrderBy``.
  public var ascending: OrderBy<Element> { OrderBy(_node, isDescending: false) }

  /// An order from the largest value to the smallest, as they are stored; absent values come last.
  public var descending: OrderBy<Element> { OrderBy(_node, isDescending: true) }

  /// The name on disk of a field, such as `f10`, or `__pk0` in the primary key; empty for any other expression.
  public var name: String { _node.fieldName(in: Element._record) }
}

extension QueryExpression where Value: QueryConstant {
  /// Returns the condition that the value is one of `values`.
  ///
  /// ```swift
  /// let posts = workspace.fetch(for: Post.self).where(Post.title.in(["Alpha", "Gamma"]))
  /// ```
  ///
  /// It is neither true nor false if the value is absent, and false if there are no `values`. An index of the field, or
  /// the primary key, answers it. For many values it is faster than a chain of `||`.
  public func `in`(_ values: some Sequence<Value>) -> QueryExpression<Bool, Element> {
    .init(node: membership(values))
  }

  /// Returns the condition that the value is none of `values`. It is neither true nor false if the value is absent, and true if there are
  /// no `values`.
  public func notIn(_ values: some Sequence<Value>) -> QueryExpression<Bool, Element> {
    .init(node: .not(membership(values)))
  }

  private func membership(_ values: some Sequence<Value>) -> QueryNode {
    var (constants, hasUnstorable) = ([FieldValue](), false)
    constants.reserveCapacity(values.underestimatedCount)
    for value in values {
      if value._isUnstorable { hasUnstorable = true } else { constants.append(constant(value)) }
    }
    // No value is one of none, not even NULL; but NULL is neither in nor out of a list of unstorable values.
    return constants.isEmpty && hasUnstorable ? unstorableComparison(.equal) : .isIn(_node, constants)
  }

  /// Returns the comparison with a value that no field has: false for `==`, and true for `!=`, but NULL for NULL. The
  /// constant NULL would not do, since every comparison with it is NULL. So the value is compared with itself instead.
  func unstorableComparison(_ comparison: QueryNode.Comparison) -> QueryNode {
    if comparison != .equal { return .comparison(.equal, _node, _node) }
    // The comparison with NULL leaves the result as it is. But it is never true, which an index and the planner of standing
    // queries find out without a look at the rows.
    return .and(.comparison(.equal, _node, .constant(.null)), .comparison(.notEqual, _node, _node))
  }

  /// Returns a value as a constant to compare this expression with: in its units, with its folding, or as bytes if it
  /// is a field of bytes.
  func constant(_ value: Value) -> FieldValue {
    if let field = _node.field, field.storage.isBytes { return value._constantOfBytes }
    return _node.comparable(value._constant(perOne: perOne))
  }
}

/// A union field of an `Element` in a query.
///
/// ```swift
/// let images = workspace.fetch(for: Post.self).where(Post.content.match(ImageContent.self))
/// let greetings = workspace.fetch(for: Post.self).where(Post.content.as(TextContent.self).text == "Hi")
/// let empty = workspace.fetch(for: Post.self).where(Post.content == nil)
/// ```
///
/// Generated code adds `match(_:)` and `as(_:)` for each of the union's members. The fields of a member that the union
/// does not hold are NULL.
///
/// See also: ``QueryExpression``, Documentation/using-the-store.md (Queries).
public struct UnionField<Union, Element: Atom>: Sendable {
  let path: FieldPath
  let slot: VTableOffset
  private let codeSize: Int

  /// Creates a union field.
  ///
  /// - Parameters:
  ///   - path: the path to the table that holds the union.
  ///   - slot: the slot of the union's member.
  ///   - codeSize: the bytes that a type code takes; more than one if the schema names a type for the codes.
  public init(_ path: FieldPath, at slot: VTableOffset, codeSize: Int = 1) {
    self.path = path
    self.slot = slot
    self.codeSize = codeSize
  }

  /// The union's type code; NULL if the union is absent.
  public var _type: QueryExpression<Int32, Element> { .init(node: _code._node) }

  /// The union's type code, which may exceed an `Int32` if the schema names a type for the codes.
  private var _code: QueryExpression<UInt64, Element> {
    .init(RecordField(path, FieldStorage(unionTypeOfSize: codeSize), at: slot))
  }

  /// Whether the union is absent.
  public var isNull: QueryExpression<Bool, Element> { _type.isNull }

  /// Whether the union is present, even if this version of the schema does not know its member.
  public var isNotNull: QueryExpression<Bool, Element> { _type.isNotNull }

  /// Returns the condition that the union holds the member with `typeCode`. Neither true nor false if the union is absent.
  public func matches(typeCode: UInt64) -> QueryExpression<Bool, Element> { _code == typeCode }

  /// Returns the condition that the union holds a member with one of `typeCodes`. Neither true nor false if the union is absent.
  public func matches(typeCodes: [UInt64]) -> QueryExpression<Bool, Element> { _code.in(typeCodes) }

  /// Returns the union's member, a string, if its type code is `typeCode`; else NULL.
  public func stringMember(typeCode: UInt64) -> QueryExpression<String, Element> {
    .init(RecordField(path.unionString(at: slot, code: typeCode, codeSize: codeSize), .string, at: slot))
  }

  /// Returns the path to the union's member, a table, if its type code is `typeCode`.
  public func member(typeCode: UInt64) -> FieldPath { path.unionTable(at: slot, code: typeCode, codeSize: codeSize) }

  /// Returns the path to the union's member, a struct, if its type code is `typeCode`.
  public func structureMember(typeCode: UInt64) -> FieldPath {
    path.unionStructure(at: slot, code: typeCode, codeSize: codeSize)
  }
}
