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
  /// The name.
  public let name: TokenIndex
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// Its fields, in `SyntaxTree.fields`.
  public let fields: Range<Int>
  /// Whether it has no fields because its body could not be read, which was reported.
  public let hasUnreadFields: Bool
  /// All its tokens, from the keyword to the `}`, or to where it ends without one, which was reported.
  public let span: TokenSpan
}

/// A field: `name: type = value (attributes);`
public struct FieldSyntax: Sendable {
  /// The name.
  public let name: TokenIndex
  /// The type, in `SyntaxTree.types`.
  public let type: Int
  /// The default, in `SyntaxTree.values`.
  public let value: Int?
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// An enum.
public struct EnumSyntax: Sendable {
  /// The word `enum`.
  public let keyword: TokenIndex
  /// The name.
  public let name: TokenIndex
  /// The type of its numbers, in `SyntaxTree.types`. Nil if it is missing, which was reported.
  public let type: Int?
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// Its values, in `SyntaxTree.enumValues`.
  public let values: Range<Int>
}

/// An enum's value: `Name = 1`.
public struct EnumValueSyntax: Sendable {
  /// The name.
  public let name: TokenIndex
  /// The number, if it was written.
  public let number: TokenIndex?
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// A union.
public struct UnionSyntax: Sendable {
  /// The word `union`.
  public let keyword: TokenIndex
  /// The name.
  public let name: TokenIndex
  /// The type of its members' codes, in `SyntaxTree.types`, if one is written.
  public let type: Int?
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// Its members, in `SyntaxTree.unionMembers`.
  public let members: Range<Int>
}

/// A union's member: `N.T`, or `Alias: N.T`, and a code.
public struct UnionMemberSyntax: Sendable {
  /// The alias or the type's name.
  public let name: TokenSpan
  /// The type after the colon, in `SyntaxTree.types`.
  public let type: Int?
  /// The code, if it was written.
  public let code: TokenIndex?
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// A service: methods from table to table.
public struct ServiceSyntax: Sendable {
  /// The word `rpc_service`.
  public let keyword: TokenIndex
  /// The name.
  public let name: TokenIndex
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
  /// Its methods, in `SyntaxTree.methods`.
  public let methods: Range<Int>
}

/// A service's method: `name(Request): Response (attributes);`
public struct MethodSyntax: Sendable {
  /// The name.
  public let name: TokenIndex
  /// The request type.
  public let request: TokenSpan
  /// The response type.
  public let response: TokenSpan
  /// Its attributes, in `SyntaxTree.attributes`.
  public let attributes: Range<Int>
}

/// An attribute: `name` or `name: value`.
public struct AttributeSyntax: Sendable {
  /// The name: an identifier or a string.
  public let name: TokenIndex
  /// The value, in `SyntaxTree.values`.
  public let value: Int?
}

/// A type as it was written.
public struct TypeSyntax: Sendable {
  /// Its form.
  public enum Kind: Sendable {
    /// A name, maybe with its namespace.
    case named
    /// `[element]` or `[element: length]`.
    case list(element: Int, length: TokenIndex?)
  }

  /// Its form.
  public let kind: Kind
  /// Its tokens.
  public let span: TokenSpan
}

/// A default, or an attribute's value, as it was written.
public struct ValueSyntax: Sendable {
  /// Its form.
  public enum Kind: Sendable {
    /// A number, a string or a name.
    case token
    /// A sign and a name, such as `-inf`.
    case signedName
    /// A function's call, such as `rad(180)`: the name is the first token, the argument is in `SyntaxTree.values`.
    case call(argument: Int)
    /// `[]`
    case emptyList
  }

  /// Its form.
  public let kind: Kind
  /// Its tokens.
  public let span: TokenSpan
}

/// A value of a JSON object: the object itself, or what stands in it.
public struct JSONSyntax: Sendable {
  /// Its form.
  public enum Kind: Sendable {
    /// A number, a string, a name or a function's call, in `SyntaxTree.values`.
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
  /// Its form.
  public let kind: Kind
  /// Whether all its entries are there. Where they are not, which is reported, some could not be told apart.
  public internal(set) var isComplete = true
  /// Its tokens, without the key.
  public internal(set) var span: TokenSpan
  /// The place in `SyntaxTree.json` after all that stands in it.
  public internal(set) var end: Int

  init(key: TokenIndex?, kind: Kind, span: TokenSpan, end: Int) {
    self.key = key
    self.kind = kind
    self.span = span
    self.end = end
  }
}
