/// One thing at the top of a file.
public enum ItemSyntax: Sendable {
  /// `include "a.fbs";`, or `native_include`, which only C++ takes note of.
  case include(path: TokenIndex, isNative: Bool)
  /// `namespace A.B;`, or `namespace;` for the global one.
  case namespace(name: TokenSpan?)
  /// `attribute "name";`
  case attribute(name: TokenIndex)
  /// `table T { ... }`
  case table(StructureSyntax)
  /// `struct S { ... }`
  case structure(StructureSyntax)
  /// `enum E: int { ... }`
  case enumeration(EnumSyntax)
  /// `union U { ... }`
  case union(UnionSyntax)
  /// `root_type A.B.T;`
  case rootType(name: TokenSpan)
  /// `file_identifier "ABCD";`
  case fileIdentifier(value: TokenIndex)
  /// `file_extension "ext";`
  case fileExtension(value: TokenIndex)
  /// `rpc_service S { ... }`
  case service(ServiceSyntax)
  /// `{ ... }`: an object of the root type, in JSON. What it holds is in `SyntaxTree.json`.
  case object(TokenSpan)
}

/// A table or a struct.
public struct StructureSyntax: Sendable {
  /// The word `table` or `struct`, before which the doc comment stands.
  public let keyword: TokenIndex
  /// The token with the name of the table or struct.
  public let name: TokenIndex
  /// The range of the table's or struct's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// The range of the table's or struct's fields in `SyntaxTree.fields`.
  public let fields: Range<Int>
  /// Whether it has no fields because its body could not be read, which was reported.
  public let hasUnreadFields: Bool
  /// All its tokens, from the keyword to the `}`, or to where it ends without one, which was reported.
  public let span: TokenSpan
}

/// A field: `name: type = value (attributes);`
public struct FieldSyntax: Sendable {
  /// The token with the name of the field.
  public let name: TokenIndex
  /// The index of the field's type in `SyntaxTree.types`.
  public let type: Int
  /// The index of the field's default in `SyntaxTree.values`; nil if none is written.
  public let value: Int?
  /// The range of the field's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// An enum.
public struct EnumSyntax: Sendable {
  /// The word `enum`.
  public let keyword: TokenIndex
  /// The token with the name of the enum.
  public let name: TokenIndex
  /// The index of the numbers' type in `SyntaxTree.types`; nil if it is missing, which was reported.
  public let type: Int?
  /// The range of the enum's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// The range of the enum's values in `SyntaxTree.enumValues`.
  public let values: Range<Int>
}

/// An enum's value: `Name = 1`.
public struct EnumValueSyntax: Sendable {
  /// The token with the name of the enum's value.
  public let name: TokenIndex
  /// The number, if it was written.
  public let number: TokenIndex?
  /// The range of the value's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// A union.
public struct UnionSyntax: Sendable {
  /// The word `union`.
  public let keyword: TokenIndex
  /// The token with the name of the union.
  public let name: TokenIndex
  /// The index of the type codes' type in `SyntaxTree.types`; nil if none is written.
  public let type: Int?
  /// The range of the union's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// The range of the union's members in `SyntaxTree.unionMembers`.
  public let members: Range<Int>
}

/// A union's member: `N.T`, or `Alias: N.T`, and a code.
public struct UnionMemberSyntax: Sendable {
  /// The alias or the type's name.
  public let name: TokenSpan
  /// The index in `SyntaxTree.types` of the type after an alias; nil if there is no alias.
  public let type: Int?
  /// The code, if it was written.
  public let code: TokenIndex?
  /// The range of the member's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// A service: methods from table to table.
public struct ServiceSyntax: Sendable {
  /// The word `rpc_service`.
  public let keyword: TokenIndex
  /// The token with the name of the service.
  public let name: TokenIndex
  /// The range of the service's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// The range of the service's methods in `SyntaxTree.methods`.
  public let methods: Range<Int>
}

/// A service's method: `name(Request): Response (attributes);`
public struct MethodSyntax: Sendable {
  /// The token with the name of the method.
  public let name: TokenIndex
  /// The request type.
  public let request: TokenSpan
  /// The response type.
  public let response: TokenSpan
  /// The range of the method's attributes in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// An attribute: `name` or `name: value`.
public struct AttributeSyntax: Sendable {
  /// The name: an identifier or a string.
  public let name: TokenIndex
  /// The index of the attribute's value in `SyntaxTree.values`; nil if none is written.
  public let value: Int?
}

/// A type as it was written.
public struct TypeSyntax: Sendable {
  /// The forms of a type.
  public enum Kind: Sendable {
    /// A name, maybe with its namespace.
    case named
    /// `[element]` or `[element: length]`. `element` is the index of the element's type in `SyntaxTree.types`.
    case list(element: Int, length: TokenIndex?)
  }

  /// The form of the type.
  public let kind: Kind
  /// The tokens of the type.
  public let span: TokenSpan
}

/// A default, or an attribute's value, as it was written.
public struct ValueSyntax: Sendable {
  /// The forms of a value.
  public enum Kind: Sendable {
    /// A number, a string or a name.
    case token
    /// A sign and a name, such as `-inf`.
    case signedName
    /// A function's call, such as `rad(180)`. The name is the first token; `argument` is the index of the argument in
    /// `SyntaxTree.values`.
    case call(argument: Int)
    /// `[]`
    case emptyList
  }

  /// The form of the value.
  public let kind: Kind
  /// The tokens of the value.
  public let span: TokenSpan
}

/// A value of a JSON object: the object itself, or what stands in it.
public struct JSONSyntax: Sendable {
  /// The forms of a value.
  public enum Kind: Sendable {
    /// A number, a string, a name or a function's call, by its index in `SyntaxTree.values`.
    case value(Int)
    /// `{ key: value, ... }`
    case object
    /// `[value, ...]`
    case list
    /// A value that could not be read, which was reported.
    case unreadable
  }

  /// The name before the colon, an identifier or a string, if it stands in an object.
  public let key: TokenIndex?
  /// The form of the value.
  public let kind: Kind
  /// Whether all entries of the object or list are in `SyntaxTree.json`. False if some could not be told apart, which
  /// is reported.
  public internal(set) var isComplete = true
  /// The tokens of the value, without the key.
  public internal(set) var span: TokenSpan
  /// The index in `SyntaxTree.json` after the value and everything in it.
  public internal(set) var end: Int

  init(key: TokenIndex?, kind: Kind, span: TokenSpan, end: Int) {
    self.key = key
    self.kind = kind
    self.span = span
    self.end = end
  }
}
