/// The options for writing objects as JSON. By default, the output is that of `flatc --json`.
public struct JSONOptions: Hashable, Sendable {
  /// The treatment of a union's value whose type the schema does not know.
  public enum UnknownMembers: Hashable, Sendable {
    /// Fail, as flatc does.
    case refuse
    /// Leave the value out. Its type is written as a number.
    case omit
  }

  /// The number of spaces by which the contents of objects and lists are indented; nil for a single line.
  public var indentation: Int?
  /// Whether the text is strict JSON, with names, infinities and NaN in quotes.
  public var isStrict: Bool
  /// Whether absent numbers are written, with their default.
  public var writesDefaults: Bool
  /// Whether absent strings are written, if they have a default. flatc never writes them.
  public var writesDefaultTexts: Bool = false
  /// Whether characters other than ASCII are written unchanged, instead of as `\uXXXX`.
  public var hasNaturalUTF8: Bool
  /// Whether bytes that are not UTF-8 are written as `\xNN`, which is not JSON. Otherwise they are refused.
  public var allowsInvalidUTF8: Bool
  /// Whether floating-point numbers are written with all digits that distinguish them. flatc writes 6 digits after the
  /// point for a float, and 12 for a double.
  public var hasExactNumbers: Bool
  /// Whether infinities and NaN are in quotes, and bytes that are not UTF-8 become U+FFFD, so that any bytes give JSON.
  public var isPortable: Bool = false
  /// Whether dates, durations and decimal numbers are written as text, in the form of `ValueText`, instead of as the
  /// stored numbers. Such JSON cannot be read back.
  public var showsValues: Bool = false
  /// The treatment of a union's value whose type the schema does not know.
  public var unknownMembers: UnknownMembers
  /// The largest size of an object's JSON, in bytes. A few bytes that refer to the same values again and again could
  /// otherwise fill any memory.
  public var maximumSize: Int

  /// The options of `flatc --json`.
  public init(
    indentation: Int? = 2, isStrict: Bool = false, writesDefaults: Bool = false, hasNaturalUTF8: Bool = false,
    allowsInvalidUTF8: Bool = false, hasExactNumbers: Bool = false, unknownMembers: UnknownMembers = .refuse,
    maximumSize: Int = 1 << 30
  ) {
    self.indentation = indentation
    self.isStrict = isStrict
    self.writesDefaults = writesDefaults
    self.hasNaturalUTF8 = hasNaturalUTF8
    self.allowsInvalidUTF8 = allowsInvalidUTF8
    self.hasExactNumbers = hasExactNumbers
    self.unknownMembers = unknownMembers
    self.maximumSize = maximumSize
  }

  /// Whether the text must be JSON for programs other than FlatBuffers' own.
  var isForOthers: Bool { isStrict || isPortable }
}
