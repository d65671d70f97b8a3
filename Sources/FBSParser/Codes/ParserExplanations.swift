import FBSDiagnostics

extension Explanation {
  /// The explanations of the parser's codes, in the order of the codes.
  public static let parser: [Explanation] = characters + structure

  private static let characters: [Explanation] = [
    Explanation(
      .illegalCharacter,
      """
      Outside strings and comments a schema holds names, numbers and a few signs, all of them ASCII. Names are letters, \
      digits and `_`, since they become names in every language that code is generated for. In a string, a tab or \
      another control character is written as an escape, so that it can be seen.
      """,
      wrong: """
        table Post {
          größe: int;
        }
        """,
      right: """
        table Post {
          size: int;  // Größe
        }
        """),
    Explanation(
      .notText,
      """
      The file holds a byte, such as NUL, that no text has, be it in a comment. Most often it is a compiled buffer, an image, or text in \
      UTF-16. Schemas are UTF-8.
      """,
      wrong: "table Post {\u{0} title: string; }",
      right: "table Post { title: string; }"),
    Explanation(
      .unterminatedString,
      """
      A string ends on the line on which it starts, with the quote with which it starts. A line break in a string is \
      written `\\n`.
      """,
      wrong: """
        file_identifier "POST;
        table Post { title: string; }
        """,
      right: """
        file_identifier "POST";
        table Post { title: string; }
        """),
    Explanation(
      .unterminatedComment,
      """
      A comment that starts with `/*` goes on to the next `*/`. Without one, the rest of the file would be a comment. \
      Comments do not nest: the first `*/` closes them.
      """,
      wrong: """
        /* The posts.
        table Post { title: string; }
        """,
      right: """
        /* The posts. */
        table Post { title: string; }
        """),
    Explanation(
      .malformedEscape,
      """
      The escapes of strings are `\\n`, `\\t`, `\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\r`, `\\xNN` with two hexadecimal \
      digits and `\\uXXXX` with four. A backslash itself is written `\\\\`.
      """,
      wrong: #"table Post { path: string = "C:\posts"; }"#,
      right: #"table Post { path: string = "C:\\posts"; }"#),
    Explanation(
      .malformedUnicode,
      """
      A string must be valid UTF-8 once its escapes are applied, since every reader of the data expects that. `\\xNN` \
      writes one byte, which alone is a character only up to `\\x7F`. A character above `\\uFFFF` takes both halves of \
      a surrogate pair; easier is to write the character itself. A doc comment that is not UTF-8 is a warning, since it \
      is written into generated code.
      """,
      wrong: #"table Post { mood: string = "\ud83d"; }"#,
      right: #"table Post { mood: string = "\ud83d\ude00"; }"#),
    Explanation(
      .malformedNumber,
      """
      Numbers are written `12`, `-12`, `0x1F`, `1.5`, `.5` or `1e3`, and hexadecimal fractions with an exponent: \
      `0x1.8p0`. A sign touches its number.
      """,
      wrong: "table Post { priority: int = - 5; }",
      right: "table Post { priority: int = -5; }"),
    Explanation(
      .strayDocumentation,
      """
      A comment with three slashes documents the definition, field or value that follows, and is kept in the schema. It \
      stands on a line of its own, above what it describes. After a field it would document the next one, which is \
      hardly ever meant.
      """,
      wrong: """
        table Post {
          title: string;  /// What the list shows.
        }
        """,
      right: """
        table Post {
          /// What the list shows.
          title: string;
        }
        """),
    Explanation(
      withoutExamples: .fileTooLarge,
      """
      Places in a file are counted with 32 bits, so that a schema can have at most 4,294,967,295 bytes. Split it into \
      files that include one another.
      """),
    Explanation(
      .emptyFile,
      """
      The file holds nothing but blanks and comments. As a rule it was not saved, or is not the file that was meant. A \
      schema declares one thing at least.
      """,
      wrong: "// Nothing here yet.",
      right: "table Post { title: string; }"),
  ]

  private static let structure: [Explanation] = [
    Explanation(
      .missingToken,
      """
      A sign is missing between two things that cannot stand side by side: the `:` before a field's type, the `;` after \
      a field, the `,` between the values of an enum. The rest of the file is read as if it stood there.
      """,
      wrong: """
        table Post {
          title: string
          text: string;
        }
        """,
      right: """
        table Post {
          title: string;
          text: string;
        }
        """),
    Explanation(
      .unexpectedToken,
      """
      A word or a sign stands where the language has no place for it. The message says what is due there. Often \
      something before it was mistyped, or a sign was written twice: no `;` follows the `}` of a definition.
      """,
      wrong: "table Post { title: string; };",
      right: "table Post { title: string; }"),
    Explanation(
      .nestedTooDeeply,
      """
      Brackets may stand in at most 64 others. No schema that somebody means needs more; a file that somebody made to \
      break its readers might.
      """,
      wrong: "table Post { tags: \(String(repeating: "[", count: 65))int\(String(repeating: "]", count: 65)); }",
      right: "table Post { tags: [int]; }"),
    Explanation(
      .lateInclude,
      """
      What a file needs is said before anything else: all includes stand above the first definition, the namespace \
      among them.
      """,
      wrong: Example(
        """
        namespace Blog;
        include "colors.fbs";
        table Post { color: Color; }
        """,
        beside: [colors]),
      right: Example(
        """
        include "colors.fbs";
        namespace Blog;
        table Post { color: Color; }
        """,
        beside: [colors])),
    Explanation(
      .unclosedBracket,
      """
      A definition's `{` has no `}`. What is reported is the bracket that was opened; where the next definition starts, \
      the missing one is due before it.
      """,
      wrong: """
        table Post {
          title: string;

        table Page { title: string; }
        """,
      right: """
        table Post {
          title: string;
        }

        table Page { title: string; }
        """),
    Explanation(
      .emptyList,
      """
      Parentheses after a name hold attributes, at least one; a service has at least one method. Other compilers refuse \
      the empty forms, too.
      """,
      wrong: "table Post () { title: string; }",
      right: "table Post { title: string; }"),
    Explanation(
      .missingEnumType,
      """
      An enum says which whole numbers hold its values. The type decides how many bytes each takes in the data, and \
      cannot be changed later without breaking it: so it is never guessed.
      """,
      wrong: "enum Color { Red, Green }",
      right: "enum Color: byte { Red, Green }"),
    Explanation(
      .objectNotLast,
      """
      A schema file may end with one object of its root type, in JSON. Nothing may follow it.
      """,
      wrong: """
        table Post { title: string (primary); }
        root_type Post;
        { title: "Hello" }
        table Page { title: string; }
        """,
      right: """
        table Post { title: string (primary); }
        table Page { title: string; }
        root_type Post;
        """),
    Explanation(
      .tooManyMistakes,
      """
      The file has 100 mistakes or more. Most likely it is no schema, or one early mistake made all of the rest \
      unreadable: mend the first ones, and compile again.
      """,
      wrong: String(repeating: String(repeating: "a # ", count: 20) + "\n", count: 5),
      right: "table Post { title: string; }"),
    Explanation(
      .foreignForm,
      """
      Who comes from another language writes fields and definitions as it has them. In a schema, a field is its name, a \
      colon, its type, its default and its attributes in parentheses, in this order, and ends with `;`. There are no \
      numbers, modifiers or methods in front or behind; types have no base; a definition stands on its own, and not \
      within another one; and a service's method is `name(Request): Response;`. The message says how the same is written.
      """,
      wrong: """
        message Post {
          required string title = 1;
        }
        """,
      right: """
        table Post {
          title: string (required);
        }
        """),
    Explanation(
      .dataFile,
      """
      The file begins as JSON does. `dflatc compile`, `format`, `lint` and `check` read schemas; `dflatc convert` reads data, \
      by the schema that describes it. A schema may end with one JSON object, after its `root_type`.
      """,
      wrong: """
        { "title": "Hello" }
        """,
      right: """
        table Post { title: string (primary); }
        root_type Post;
        { "title": "Hello" }
        """),
  ]

  private static let colors = Example.File("colors.fbs", "enum Color: byte { Red, Green }")
}
