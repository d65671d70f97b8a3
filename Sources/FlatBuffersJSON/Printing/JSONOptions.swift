/// How objects are written as JSON. By default as `flatc --json` writes them.
public struct JSONOptions: Hashable, Sendable {
  /// What to do with a union's value of a type that the schema does not know.
  public enum UnknownMembers: Hashable, Sendable {
    /// Fail, as flatc does.
    case refuse
    /// Leave the value out. Its type is written as a number.
    case omit
  }

  /// By how many blanks what stands in an object or list is indented. Nothing puts all on one line.
  public var indentation: Int?
  /// Whether the text is strict JSON: names stand in quotes, and so do infinities and NaN.
  public var isStrict: Bool
  /// Whether numbers that are absent are written with their default.
  public var writesDefaults: Bool
  /// Whether characters other than ASCII stand as they are, and not as `\uXXXX`.
  public var hasNaturalUTF8: Bool
  /// Whether bytes that are not UTF-8 are written as `\xNN`, which is not JSON. Otherwise they are refused.
  public var allowsInvalidUTF8: Bool
  /// Whether floating-point numbers have all the digits that tell them apart. flatc writes 6 digits after the point for a
  /// float, and 12 for a double.
  public var hasExactNumbers: Bool
  /// Whether infinities and NaN stand in quotes, and bytes that are not UTF-8 become U+FFFD, so that any bytes give JSON.
  public var isPortable: Bool = false
  /// Whether dates, durations and decimal numbers are written as people read them, as `ValueText` has them, and not as the
  /// numbers that are stored. Such JSON is not read back.
  public var showsValues: Bool = false
  /// What to do with a union's value of a type that the schema does not know.
  public var unknownMembers: UnknownMembers
  /// How large the JSON of an object may be, in bytes. Few bytes that refer to the same values again and again could
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

  /// Whether the text must be JSON for other programs than FlatBuffers'.
  var isForOthers: Bool { isStrict || isPortable }
}
