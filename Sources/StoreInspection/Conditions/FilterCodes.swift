import FBSDiagnostics
import FBSParser

/// The codes of mistakes in `--where` and `--order`.
extension DiagnosticCode {
  /// An expression that cannot be parsed.
  public static let malformedFilter = DiagnosticCode("D0501", "a condition that cannot be read")
  /// A field or name in an expression that the schema does not have.
  public static let unknownFilterName = DiagnosticCode("D0502", "a condition about a field that is not there")
  /// A comparison of values that cannot be compared.
  public static let wrongFilterType = DiagnosticCode("D0503", "a comparison of what cannot be compared")

  /// All codes of this module.
  public static let inspectionCodes: [DiagnosticCode] = [.malformedFilter, .unknownFilterName, .wrongFilterType]
}

extension Explanation {
  /// The explanations of this module's codes.
  public static let inspection: [Explanation] = [
    Explanation(
      withoutExamples: .malformedFilter,
      """
      `dflatc inspect --where` takes conditions on fields: `priority > 3 and not (tag is null or title in ('a', 'b'))`. Texts \
      stand in quotes of either kind. Comparisons are `=`, `!=`, `<`, `<=`, `>` and `>=`. Texts are also asked by \
      `title has prefix 'a'`, `has suffix`, `contains 'a'` and `is empty`, and vectors by `tags contains 'a'`, \
      `tags contains any ('a', 'b')`, `remarks contains (stars > 4)` and `is empty`.
      """),
    Explanation(
      withoutExamples: .unknownFilterName,
      """
      A condition names fields of the table, and with dots those of tables and structs in it: `place.x`. The way through \
      a union has the member's name: `content.TextContent.text`. An enum's value is written by its name alone. \
      In a condition on the elements of a vector, `remarks contains (stars > 4)`, a name is that of a field of the \
      element, or else of the object; the element itself is `it`. `.count` may follow a vector, and `.length`, `.folded` and \
      `.foldedCase` a text.
      """),
    Explanation(
      withoutExamples: .wrongFilterType,
      """
      Numbers are compared with numbers, texts with texts, and enums with names of their values. A struct that is one array of `ubyte` is \
      compared with its bytes in hexadecimal digits, `'00ff'`, or as the UUID that it stands for. Of tables, other structs and unions a \
      condition can only ask whether they are there: `content is not null`. A union can also be compared with the name of a member: \
      `content = TextContent`. A vector is asked for its elements, `tags contains 'a'`, and for their number, `tags.count > 2` or \
      `tags is empty`. Elements that are tables, structs or unions take a condition in parentheses: `remarks contains (stars > 4)`. Only \
      texts have a prefix, a suffix and parts, which are texts in quotes.
      """),
  ]
}
