import FBSDiagnostics
import FBSParser
import FBSSchema

/// Where our verdict on a schema is not that of flatc 2.0.8, on purpose.
enum KnownVerdict: String, CaseIterable, Sendable {
  /// Enums, structs and unions may be used before they are declared; in flatc, order matters.
  case forwardReferences
  /// The other side of it: what flatc has not seen yet, it may find in a namespace that the name does not lead to.
  case forwardReferencesElsewhere
  /// Members of a union with one code: flatc notices only if it is the least, and writes code that does not compile.
  case repeatedCodes
  /// A deprecated field that is required, or a key: flatc lets it pass.
  case contradictoryAttributes
  /// Attributes on enum values: newer versions of flatc take them.
  case attributesOnValues
  /// Attributes that newer versions of flatc know.
  case newerAttributes
  /// Unions that name a type for their codes: newer versions of flatc take them.
  case typedUnions
  /// A struct in itself: flatc gives it a size.
  case recursiveStructs
  /// Sizes that no table or offset can hold: flatc lets them wrap around.
  case sizes
  /// An enum's numbers that are of its own type, which says nothing: flatc takes them for ints.
  case enumsOfThemselves
  /// Our own attributes need no declaration.
  case ownAttributes
  /// A doc comment after a byte order mark: it is alone on its line for everybody who looks at it, and some editors write
  /// the mark unasked, so that flatc's refusal has no use to anybody.
  case documentationAfterMark

  /// The one that explains why two verdicts differ. Nothing if none does.
  static func explaining(_ compilation: Compilation, _ judgement: Judgement) -> KnownVerdict? {
    switch judgement {
    case .crashed: nil
    case .valid: explaining(compilation.errors)
    case .invalid(let message): explaining(message, compilation)
    }
  }

  private static func explaining(_ errors: [Diagnostic]) -> KnownVerdict? {
    let codes = Set(errors.map(\.code))
    guard let code = codes.first, codes.count == 1 else { return nil }
    switch code {
    case .duplicateNumber: return .repeatedCodes
    case .contradictoryAttributes: return .contradictoryAttributes
    case .recursiveStruct: return .recursiveStructs
    case .tooLarge: return .sizes
    // It is there, and the label shows where.
    case .unknownType where errors.allSatisfy({ !$0.labels.isEmpty }): return .forwardReferencesElsewhere
    case .wrongType where errors.allSatisfy({ $0.message.hasSuffix("is its own") }):
      return .enumsOfThemselves
    default: return nil
    }
  }

  private static func explaining(_ message: String, _ compilation: Compilation) -> KnownVerdict? {
    let schema = compilation.schema
    if message.contains("type referenced but not defined") || message.contains("unknown root type") {
      return .forwardReferences
    }
    if message.hasSuffix("underlying enum type must be integral") { return .forwardReferences }
    if message.contains("structs_ must be declared before use") || message.contains("structs may contain only scalar") {
      return .forwardReferences
    }
    func isUndeclared(_ name: String) -> Bool {
      message.hasSuffix("user define attributes must be declared before use: \(name)")
    }
    if ["primary", "indexed", "unique", "codable", "v"].contains(where: isUndeclared) { return .ownAttributes }
    if ["offset64", "vector64"].contains(where: isUndeclared) { return .newerAttributes }
    if message.hasSuffix("expecting: { instead got: :"), schema.unions.contains(where: { $0.writtenType != nil }) {
      return .typedUnions
    }
    if schema.enums.contains(where: { $0.values.contains { !$0.declaration.attributes.isEmpty } }) {
      return .attributesOnValues
    }
    if message.hasSuffix("a documentation comment should be on a line on its own") { return .documentationAfterMark }
    return nil
  }

  /// A schema on which the verdicts differ for this reason.
  var example: String {
    switch self {
    case .forwardReferences: "table T { u: U; } union U { T }"
    case .forwardReferencesElsewhere: "namespace N; union U { T } namespace M; table T {} table V { t: T; }"
    case .repeatedCodes: "table T {} union U { a: T = 2, b: T = 1, c: T }"
    case .contradictoryAttributes: "table T { a: string (deprecated, required); }"
    case .attributesOnValues: "enum E: int { A (private) }"
    case .newerAttributes: "table T { a: string (offset64); b: [ubyte] (vector64); }"
    case .typedUnions: "table T {} union U: int { T }"
    case .recursiveStructs: "struct S { a: int; b: S; }"
    case .sizes: "struct S { a: [long: 65535]; } table T { s: S; }"
    case .enumsOfThemselves: "enum E: E { A }"
    case .ownAttributes: "table T (v: \"1\") { a: int (primary); b: int (indexed); c: int (unique); }"
    case .documentationAfterMark: "\u{FEFF}/// doc\ntable T {}"
    }
  }
}
