/// Words that mean something to Swift: those of "The Swift Programming Language", "Lexical Structure", and those that have
/// come since.
enum SwiftWords {
  static let all =
    declarations + statements + expressions + contextual

  private static let declarations = [
    "associatedtype", "borrowing", "class", "consuming", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "nonisolated", "open", "operator", "precedencegroup", "private", "protocol",
    "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
  ]

  private static let statements = [
    "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in",
    "repeat", "return", "switch", "throw", "where", "while",
  ]

  private static let expressions = [
    "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try",
  ]

  private static let contextual = [
    "actor", "any", "associativity", "async", "consume", "convenience", "copy", "didSet", "discard", "distributed",
    "dynamic", "each", "final", "get", "indirect", "infix", "isolated", "lazy", "left", "macro", "modify", "module",
    "mutating", "none", "nonmutating", "nonsending", "of", "optional", "override", "package", "postfix", "precedence",
    "prefix", "Protocol", "read", "reasync", "required", "right", "sending", "set", "some", "then", "Type", "unowned",
    "unsafe", "using", "weak", "willSet", "yield",
  ]

  /// Types, protocols and functions of the standard library, and of what comes along with it.
  static let standardLibrary = [
    "Actor", "AnyClass", "AnyHashable", "AnyIterator", "AnyKeyPath", "AnyObject", "AnySequence", "Array", "ArraySlice",
    "AsyncSequence", "AsyncStream", "BinaryFloatingPoint", "BinaryInteger", "BitwiseCopyable", "Bool",
    "BooleanLiteralType", "CVarArg", "CaseIterable", "Character", "Clock", "ClosedRange", "Codable", "CodingKey",
    "CodingUserInfoKey", "Collection", "CollectionOfOne", "CommandLine", "Comparable", "ContiguousArray",
    "Continuation",
    "Copyable", "CustomReflectable", "CustomStringConvertible", "Decodable", "Decoder", "DecodingError", "Dictionary",
    "Double", "Duration", "EmptyCollection", "Encodable", "Encoder", "EncodingError", "Equatable", "Error", "Escapable",
    "Executor", "ExpressibleByArrayLiteral", "ExpressibleByStringLiteral", "FixedWidthInteger", "Float", "Float16",
    "Float80", "FloatLiteralType", "FloatingPoint", "Hashable", "Hasher", "ID", "Identifiable", "Index", "InlineArray",
    "Int", "Int128", "Int16", "Int32", "Int64", "Int8", "IntegerLiteralType", "Iterator", "IteratorProtocol", "Key",
    "KeyPath", "KeyValuePairs", "LazySequence", "LosslessStringConvertible", "MainActor", "Mirror", "Never", "Numeric",
    "ObjectIdentifier", "ObjectiveC", "OpaquePointer", "OptionSet", "Optional", "PartialKeyPath",
    "RandomAccessCollection",
    "Range", "RangeExpression", "RawRepresentable", "RawValue", "Regex", "Result", "Sendable", "Sequence", "Set",
    "SetAlgebra", "SignedInteger", "Slice", "Span", "StaticString", "Strideable", "String", "StringLiteralType",
    "StringProtocol", "SubSequence", "Substring", "Task", "TaskGroup", "Unicode", "UnicodeScalarType", "UInt",
    "UInt128",
    "UInt16", "UInt32", "UInt64", "UInt8", "Unmanaged", "UnsafePointer", "UnsafeRawBufferPointer", "UnsignedInteger",
    "Void", "WritableKeyPath", "Zip2Sequence", "_Concurrency", "_StringProcessing", "abs", "assert", "dump",
    "fatalError",
    "id", "isKnownUniquelyReferenced", "max", "min", "numericCast", "precondition", "preconditionFailure", "print",
    "repeatElement", "sequence", "stride", "swap", "type", "unsafeBitCast", "withUnsafePointer", "zip",
  ]
}
