import FBSDiagnostics
import FBSParser

/// The codes of resolution, and of the rules of a store.
extension DiagnosticCode {
  /// An included file does not exist.
  public static let missingInclude = DiagnosticCode("D0201", "an included file is not found")
  /// An included file exists and cannot be read.
  public static let unreadableInclude = DiagnosticCode("D0202", "an included file cannot be read")
  /// `indexed` or `unique` on a field that cannot have the index.
  public static let cannotIndex = DiagnosticCode("D0203", "a field that cannot be indexed")
  /// A type that nothing defines.
  public static let unknownType = DiagnosticCode("D0204", "an unknown type")
  /// Two definitions of one name.
  public static let duplicateDefinition = DiagnosticCode("D0205", "a name is defined twice")
  /// Two fields, values, members or methods of one name.
  public static let duplicateMember = DiagnosticCode("D0206", "a name is used twice in a definition")
  /// A field's name that generated code needs for another field, or that is a type's.
  public static let nameClash = DiagnosticCode("D0207", "a name that is taken")
  /// A type where another kind of type is due.
  public static let wrongType = DiagnosticCode("D0208", "a type that cannot stand here")
  /// Two values of an enum, or members of a union, with one number.
  public static let duplicateNumber = DiagnosticCode("D0209", "a number is used twice")
  /// A number that its type cannot hold.
  public static let outOfRange = DiagnosticCode("D0210", "a number out of range")
  /// A default of the wrong kind.
  public static let wrongDefault = DiagnosticCode("D0211", "a default that does not fit its field")
  /// A default that its enum does not have.
  public static let notAMember = DiagnosticCode("D0212", "a default that its enum does not have")
  /// An attribute that was not declared.
  public static let unknownAttribute = DiagnosticCode("D0213", "an unknown attribute")
  /// An attribute's value of the wrong kind.
  public static let wrongAttributeValue = DiagnosticCode("D0214", "an attribute's value does not fit it")
  /// An attribute where it contradicts what it stands on.
  public static let misplacedAttribute = DiagnosticCode("D0215", "an attribute in the wrong place")
  /// An attribute that does nothing here.
  public static let idleAttribute = DiagnosticCode("D0216", "an attribute without effect")
  /// An attribute written twice.
  public static let duplicateAttribute = DiagnosticCode("D0217", "an attribute is written twice")
  /// Ids that do not count from 0 without gaps.
  public static let wrongIDs = DiagnosticCode("D0218", "ids that are not 0, 1, 2, ...")
  /// Two attributes that exclude each other.
  public static let contradictoryAttributes = DiagnosticCode("D0219", "attributes that exclude each other")
  /// A struct with nothing in it.
  public static let emptyStruct = DiagnosticCode("D0220", "a struct without fields")
  /// A struct that holds itself.
  public static let recursiveStruct = DiagnosticCode("D0221", "a struct that contains itself")
  /// A struct, table or union larger than the format allows.
  public static let tooLarge = DiagnosticCode("D0222", "more than the format can hold")
  /// A `root_type` that is no table.
  public static let wrongRootType = DiagnosticCode("D0223", "a root type that is not a table")
  /// A `file_identifier` that has not four bytes.
  public static let wrongFileIdentifier = DiagnosticCode("D0224", "a file identifier that has not four bytes")
  /// Values of an enum that go down.
  public static let descendingValues = DiagnosticCode("D0225", "enum values in descending order")
  /// An enum that is said to be optional, and has a value called null.
  public static let ambiguousNull = DiagnosticCode("D0226", "`null` has two meanings")
  // D0227 said that 64-bit offsets are not supported: it is not given to another mistake.

  /// A JSON object without a root type.
  public static let objectWithoutRoot = DiagnosticCode("D0228", "a JSON object without a root type")
  /// A default with an unusual form or value.
  public static let surprisingDefault = DiagnosticCode("D0229", "a default that may not mean what it says")

  /// A name that other compilers may bind elsewhere.
  public static let ambiguousName = DiagnosticCode("D0230", "a name with two meanings")

  /// A JSON object's field that its type does not have.
  public static let unknownField = DiagnosticCode("D0231", "a field that the type does not have")
  /// A JSON object's field that is set twice.
  public static let duplicateField = DiagnosticCode("D0232", "a field is set twice")
  /// A JSON value of another kind than its field.
  public static let wrongValue = DiagnosticCode("D0233", "a value that does not fit its field")
  /// A JSON number that its type cannot hold.
  public static let valueOutOfRange = DiagnosticCode("D0234", "a value out of range")
  /// A name that an enum or union does not have, in a JSON object.
  public static let unknownValue = DiagnosticCode("D0235", "a value that its enum does not have")
  /// A JSON object without a required field.
  public static let missingField = DiagnosticCode("D0236", "a required field is missing")
  /// A struct in a JSON object without all its fields.
  public static let incompleteStruct = DiagnosticCode("D0237", "a struct without all its fields")
  /// A list in a JSON object with too few or too many entries.
  public static let wrongLength = DiagnosticCode("D0238", "a list of the wrong length")
  /// A union in a JSON object that has a value and no type, or a type and no value.
  public static let incompleteUnion = DiagnosticCode("D0239", "a union without its type or value")
  /// A value of a union in a JSON object for a type that can have none.
  public static let wrongUnionType = DiagnosticCode("D0240", "a union's value for no member")
  /// A value in a JSON object that cannot stand where the type is not known yet.
  public static let unreadableAhead = DiagnosticCode("D0241", "a value that needs to know its type")
  /// A deprecated field in a JSON object.
  public static let deprecatedField = DiagnosticCode("D0242", "a deprecated field is set")
  /// A JSON value with an unusual form.
  public static let surprisingValue = DiagnosticCode("D0243", "a value that may not mean what it says")
  /// A second `root_type` in a file.
  public static let repeatedRootType = DiagnosticCode("D0244", "a second root type")
  /// A file that should be a JSON object, and is a schema or something else.
  public static let notAnObject = DiagnosticCode("D0245", "a file that is not a JSON object")
  /// A form that strict JSON does not have, although strict JSON was asked for.
  public static let looseJSON = DiagnosticCode("D0246", "JSON that is not strict")

  /// A store needs a root table with a primary key.
  public static let missingPrimaryKey = DiagnosticCode("D0251", "a root table without a primary key")
  /// `primary` on something that cannot be part of a key.
  public static let wrongPrimaryKey = DiagnosticCode("D0252", "a field that cannot be part of a primary key")
  /// The path to an indexed field goes in a circle.
  public static let recursiveIndex = DiagnosticCode("D0253", "an index in a table that contains itself")
  /// Two root tables with one name in SQLite.
  public static let duplicateTableName = DiagnosticCode("D0254", "two root tables with one name on disk")
  /// `v` with other characters than letters, digits, `_` and `.`.
  public static let wrongVersion = DiagnosticCode("D0255", "a version that cannot be part of a table's name")
  // D0256 was a namespace with the name of a type, which is no mistake any more: the type gives way in Swift.

  /// All codes of this module.
  public static let schemaCodes: [DiagnosticCode] = [
    .missingInclude, .unreadableInclude, .cannotIndex, .unknownType, .duplicateDefinition, .duplicateMember,
    .nameClash, .wrongType, .duplicateNumber, .outOfRange, .wrongDefault, .notAMember, .unknownAttribute,
    .wrongAttributeValue, .misplacedAttribute, .idleAttribute, .duplicateAttribute, .wrongIDs,
    .contradictoryAttributes, .emptyStruct, .recursiveStruct, .tooLarge, .wrongRootType, .repeatedRootType,
    .wrongFileIdentifier,
    .descendingValues, .ambiguousNull, .objectWithoutRoot, .surprisingDefault, .ambiguousName,
    .unknownField, .duplicateField, .wrongValue, .valueOutOfRange, .unknownValue, .missingField, .incompleteStruct,
    .wrongLength, .incompleteUnion, .wrongUnionType, .unreadableAhead, .deprecatedField, .surprisingValue,
    .notAnObject, .looseJSON,
    .missingPrimaryKey, .wrongPrimaryKey, .recursiveIndex, .duplicateTableName, .wrongVersion,
  ]
}
