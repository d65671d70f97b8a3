import FBSDiagnostics

/// The parser's codes.
extension DiagnosticCode {
  /// A byte that no token may hold.
  public static let illegalCharacter = DiagnosticCode("D0101", "a character that a schema cannot hold")
  /// The file holds NUL or other control bytes.
  public static let notText = DiagnosticCode("D0102", "the file is not text")
  /// A string without its closing quote.
  public static let unterminatedString = DiagnosticCode("D0103", "a string is not closed")
  /// A block comment without `*/`.
  public static let unterminatedComment = DiagnosticCode("D0104", "a comment is not closed")
  /// A backslash before something that is no escape.
  public static let malformedEscape = DiagnosticCode("D0105", "an escape that strings do not know")
  /// A string that is not valid UTF-8, escapes applied, or a doc comment that is not.
  public static let malformedUnicode = DiagnosticCode("D0106", "a string or doc comment that is not valid Unicode")
  /// A malformed number.
  public static let malformedNumber = DiagnosticCode("D0107", "a malformed number")
  /// A doc comment after something else on its line.
  public static let strayDocumentation = DiagnosticCode("D0108", "a doc comment that is not on a line of its own")
  /// A file of more than 4 GiB.
  public static let fileTooLarge = DiagnosticCode("D0109", "the file is too large")
  /// A file with only blanks and comments.
  public static let emptyFile = DiagnosticCode("D0110", "the file declares nothing")
  /// A token is missing.
  public static let missingToken = DiagnosticCode("D0111", "something is missing")
  /// A token stands where another is due.
  public static let unexpectedToken = DiagnosticCode("D0112", "something stands in the wrong place")
  /// Brackets in brackets in brackets.
  public static let nestedTooDeeply = DiagnosticCode("D0113", "nested too deeply")
  /// An include after a declaration.
  public static let lateInclude = DiagnosticCode("D0114", "an include after a declaration")
  /// A bracket without its partner.
  public static let unclosedBracket = DiagnosticCode("D0115", "a bracket is not closed")
  /// `()` after a name, or an `rpc_service` without methods.
  public static let emptyList = DiagnosticCode("D0116", "a list with nothing in it")
  /// An enum without `: int` or the like.
  public static let missingEnumType = DiagnosticCode("D0117", "an enum without a type")
  /// Something after the JSON object.
  public static let objectNotLast = DiagnosticCode("D0118", "something stands after the JSON object")
  /// The parser gave up.
  public static let tooManyMistakes = DiagnosticCode("D0119", "too many mistakes")
  /// Something as another language writes it.
  public static let foreignForm = DiagnosticCode("D0120", "something is written as in another language")
  /// A file of data where a schema is due.
  public static let dataFile = DiagnosticCode("D0121", "a file of data where a schema is due")

  /// All codes of this module.
  public static let parserCodes: [DiagnosticCode] = [
    .illegalCharacter, .notText, .unterminatedString, .unterminatedComment, .malformedEscape, .malformedUnicode,
    .malformedNumber, .strayDocumentation, .fileTooLarge, .emptyFile, .missingToken, .unexpectedToken,
    .nestedTooDeeply, .lateInclude, .unclosedBracket, .emptyList, .missingEnumType, .objectNotLast, .tooManyMistakes,
    .foreignForm, .dataFile,
  ]
}
