import FBSDiagnostics
import FBSParser
import FBSSchema

/// The one place where Swift names are made.
///
/// A type keeps its name, nested in its namespace. Types generated beside it have its name with a suffix. Fields and
/// cases follow Swift's convention. A name that is not free in Swift is changed: `SwiftNaming` finds these once for all
/// emitters.
public struct Namer: Sendable {
  private let enums: [TypeName]
  private let structs: [TypeName]
  private let tables: [TypeName]
  private let unions: [TypeName]
  /// The names of members that differ from the schema's name in Swift's convention, by the members' declarations.
  private let members: [SourceRange: String]
  /// The tables that are some file's root type.
  let rootTables: Set<TableID>

  /// The namespaces that are root classes, as Swift spells them. Only the class is declared for them.
  let namespacesThatAreClasses: Set<[String]>

  /// How the code for the schema spells the types of other modules.
  let imported: ImportedTypeNames

  /// Spells the names that `naming` has found for everything in `schema`.
  init(_ schema: Schema, _ naming: SwiftNaming) {
    rootTables = schema.rootTables
    imported = naming.imported
    members = naming.members.names
    let types = naming.types
    namespacesThatAreClasses = Set(types.namespacesThatAreClasses.map { $0.map(SwiftKeywords.escapeType) })
    var namespaces: [[String]: [String]] = [:]
    func typeName(_ definition: DefinitionID, _ name: QualifiedName) -> TypeName {
      let parts = namespaces[name.namespace] ?? types.parts(of: name.namespace).map(SwiftKeywords.escapeType)
      namespaces[name.namespace] = parts
      let simple = types.name(of: definition)
      let stem = (parts + [""]).joined(separator: ".")
      return TypeName(
        model: stem + SwiftKeywords.escapeType(simple), stem: stem + simple,
        declared: DeclaredName(namespace: parts, simple: simple))
    }
    enums = schema.enums.enumerated().map { typeName(.enumeration(EnumID($0)), $1.name) }
    structs = schema.structs.enumerated().map { typeName(.structure(StructID($0)), $1.name) }
    tables = schema.tables.enumerated().map { typeName(.table(TableID($0)), $1.name) }
    unions = schema.unions.enumerated().map { typeName(.union(UnionID($0)), $1.name) }
  }

  /// Returns whether a table is some file's root type, and so a class that a store can hold.
  func isRoot(_ id: TableID) -> Bool { rootTables.contains(id) }

  // MARK: Types

  /// Returns the names by which the types for a definition are declared.
  func declared(_ definition: DefinitionID) -> DeclaredName {
    switch definition {
    case .enumeration(let id): enums[id.index].declared
    case .structure(let id): structs[id.index].declared
    case .table(let id): tables[id.index].declared
    case .union(let id): unions[id.index].declared
    }
  }

  /// Returns the data model's type for an enum.
  func model(_ id: EnumID) -> String { enums[id.index].model }
  /// Returns the data model's type for a struct.
  func model(_ id: StructID) -> String { structs[id.index].model }
  /// Returns the data model's type for a table.
  func model(_ id: TableID) -> String { tables[id.index].model }
  /// Returns the data model's type for a union.
  func model(_ id: UnionID) -> String { unions[id.index].model }

  /// Returns the expression of the data model's object for the table of which `view` is a view.
  func model(_ id: TableID, reading view: String) -> String {
    // An object within another one has no row of its own.
    isRoot(id) ? "\(model(id))(\(view), _rowid: 0)" : "\(model(id))(\(view))"
  }

  /// Returns the accessors' type for an enum.
  func value(_ id: EnumID) -> String { enums[id.index].stem + Suffix.value }
  /// Returns the accessors' type for the value of a struct, which is what programs write to a buffer.
  func value(_ id: StructID) -> String { structs[id.index].stem + Suffix.value }
  /// Returns the accessors' type that reads a struct.
  func reader(_ id: StructID) -> String { structs[id.index].stem + Suffix.reader }
  /// Returns the accessors' type for a table.
  func reader(_ id: TableID) -> String { tables[id.index].stem + Suffix.reader }
  /// Returns the accessors' type for a union.
  func reader(_ id: UnionID) -> String { unions[id.index].stem + Suffix.reader }

  /// Returns the data model's builder of a root table.
  func builder(_ id: TableID) -> String { tables[id.index].stem + Suffix.builder }

  /// Returns the editors' type for a struct.
  func editor(_ id: StructID) -> String { structs[id.index].stem + Suffix.editor }
  /// Returns the editors' type for a table.
  func editor(_ id: TableID) -> String { tables[id.index].stem + Suffix.editor }
  /// Returns the editors' type for a union.
  func editor(_ id: UnionID) -> String { unions[id.index].stem + Suffix.editor }

  /// The suffixes of types that are generated beside another one.
  enum Suffix {
    static let value = "Value"
    static let reader = "Reader"
    static let builder = "Builder"
    static let editor = "Editor"
    static let changeRequest = "ChangeRequest"

    static let ofEnum = [value]
    static let ofStruct = [reader, value, editor]
    static let ofUnion = [reader, editor]
    static let ofTable = [reader, editor]
    static let ofRoot = ofTable + [builder, changeRequest]
    static let all = Set(ofEnum + ofStruct + ofUnion + ofRoot)
  }

  /// A type's name as Swift code outside of its namespace spells it.
  private struct TypeName {
    /// The type itself.
    let model: String
    /// The name to which suffixes are added. It needs no backticks, even for a keyword.
    let stem: String
    /// The name by which the type is declared.
    let declared: DeclaredName
  }

  /// The names by which the types for a definition are declared.
  struct DeclaredName {
    /// The namespace as Swift spells it, part by part.
    let namespace: [String]
    /// The name in Swift, without backticks.
    let simple: String

    /// The first part of the name as code outside of the namespace spells it, but for suffixes.
    var firstPart: String { namespace.first ?? simple }

    /// The name of the data model's type.
    var model: String { SwiftKeywords.escapeType(simple) }

    /// Returns the name of a type that is generated beside this one.
    func with(_ suffix: String) -> String { simple + suffix }
  }

  // MARK: Members

  /// Returns a field's name, without backticks.
  func plain(_ field: FieldDefinition) -> String {
    chosen(field.declaration) ?? Self.fieldName(field.name)
  }

  /// Returns a struct's field's name, without backticks.
  func plain(_ field: StructDefinition.Field) -> String {
    chosen(field.declaration) ?? Self.fieldName(field.name)
  }

  /// Returns the name of the case for a union's member, without backticks.
  func plain(_ member: UnionDefinition.Member) -> String {
    chosen(member.declaration) ?? Self.caseName(member.name)
  }

  private func chosen(_ declaration: Declaration) -> String? {
    members.isEmpty ? nil : members[declaration.nameRange]
  }

  /// Returns the name of the case for an enum's value.
  func caseName(_ value: EnumDefinition.Value) -> String {
    SwiftKeywords.escape(chosen(value.declaration) ?? Self.caseName(value.name))
  }

  /// Returns the name of the case for a union's member.
  func caseName(_ member: UnionDefinition.Member) -> String { SwiftKeywords.escape(plain(member)) }

  /// Returns the name of the case for a union's member, as a label in front of a parameter's own name.
  func parameterLabel(_ member: UnionDefinition.Member) -> String {
    SwiftKeywords.escapeParameter(SwiftKeywords.escapeLabel(plain(member)))
  }

  /// Returns the name of a member beside a field: the `type` of a union, the `root` of a nested FlatBuffer.
  static func name(of part: String, beside swiftName: String) -> String { swiftName + part.capitalizedFirst }

  /// Returns a field's name in Swift's convention, as Dflat 0.6 spells names with underscores: `hp_old` becomes
  /// `hpOld`, `_major` `Major`, `a__b` `a_b`. The first letter of a name without underscores is lowered, unless all are
  /// capitals: `Title` becomes `title`.
  package static func fieldName(_ name: String) -> String {
    withoutUnderscores(name) ?? (name.utf8.contains(underscore) ? name : loweringFirst(name))
  }

  /// Returns a case's name in Swift's convention, as Dflat 0.6 spells it: without underscores, and with the first
  /// letter lowered, unless all are capitals. `Red` becomes `red`, `Dark_Blue` `darkBlue`; `DDIM` stays, and
  /// `DARK_BLUE` becomes `DARKBLUE`.
  package static func caseName(_ name: String) -> String {
    loweringFirst(withoutUnderscores(name) ?? name)
  }

  /// Returns a name without its underscores, and with the character after each of them capitalized. An underscore at
  /// the end stays, as does the second of two.
  ///
  /// - Returns: nil if the name would not change, or would be no name in Swift: `1` for `_1`, `_` for `__`.
  private static func withoutUnderscores(_ name: String) -> String? {
    var name = name
    return name.withUTF8 { bytes in
      guard bytes.dropLast().contains(underscore) else { return nil }
      // In place: a short string needs no memory then, and each emitter asks for each field's name. No name gets
      // longer, so there is room for all of it.
      let text = String(unsafeUninitializedCapacity: bytes.count) { result in
        var count = 0
        var index = 0
        while index < bytes.count {
          let raises = bytes[index] == underscore && index + 1 < bytes.count
          if raises { index += 1 }
          result[count] = raises ? uppercased(bytes[index]) : bytes[index]
          index += 1
          count += 1
        }
        return count
      }
      return text == "_" || isDigit(text.utf8.first ?? 0) ? nil : text
    }
  }

  /// Returns a name with its first letter lowered, unless all letters are capitals.
  private static func loweringFirst(_ name: String) -> String {
    guard let first = name.utf8.first, isUpper(first), !isAllCapitals(name.utf8) else { return name }
    return String(decoding: CollectionOfOne(lowercased(first)), as: UTF8.self) + name.dropFirst()
  }

  private static let underscore = UInt8(ascii: "_")

  private static func isAllCapitals(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.contains { isUpper($0) } && !bytes.contains { isLower($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
  private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func lowercased(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte + 0x20 : byte }
  private static func uppercased(_ byte: UInt8) -> UInt8 { isLower(byte) ? byte - 0x20 : byte }
}

extension Schema {
  /// The tables that are some file's root type.
  var rootTables: Set<TableID> { Set(files.compactMap(\.rootTable)) }
}
