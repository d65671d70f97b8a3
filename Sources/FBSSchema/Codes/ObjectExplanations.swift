import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the codes about the JSON object at the end of a schema.
  static let objects: [Explanation] = [
    Explanation(
      .unknownField,
      """
      The JSON object at the end of a schema is one of the root type: each of its names is a field of the table or struct \
      that it describes, spelled as in the schema.
      """,
      wrong: """
        table Post { id: int (primary); title: string; }
        root_type Post;
        { titel: "Hello" }
        """,
      right: """
        table Post { id: int (primary); title: string; }
        root_type Post;
        { title: "Hello" }
        """),
    Explanation(
      .duplicateField,
      """
      A field has one value. The second one would take the first one's place, or be lost, and either is unlikely to be \
      meant.
      """,
      wrong: """
        table Post { id: int (primary); title: string; }
        root_type Post;
        { title: "Hello", title: "World" }
        """,
      right: """
        table Post { id: int (primary); title: string; }
        root_type Post;
        { title: "Hello" }
        """),
    Explanation(
      .wrongValue,
      """
      A value is of its field's type: a number or a bool for a scalar, a name or a number for an enum, a string for a \
      string, a list for a vector, an object for a table or a struct.
      """,
      wrong: """
        table Post { id: int (primary); tags: [string]; }
        root_type Post;
        { tags: "swift" }
        """,
      right: """
        table Post { id: int (primary); tags: [string]; }
        root_type Post;
        { tags: ["swift"] }
        """),
    Explanation(
      .valueOutOfRange,
      """
      The number does not fit the field's type, and would be another one if it were cut to fit.
      """,
      wrong: """
        table Post { id: int (primary); rating: ubyte; }
        root_type Post;
        { rating: 256 }
        """,
      right: """
        table Post { id: int (primary); rating: ubyte; }
        root_type Post;
        { rating: 255 }
        """),
    Explanation(
      .unknownValue,
      """
      A name that stands for a number is one of the enum's values, spelled as in the schema. Of an enum with `bit_flags` \
      several may stand in one string, with blanks between them.
      """,
      wrong: """
        enum Color: byte { Red, Green }
        table Post { id: int (primary); color: Color; }
        root_type Post;
        { color: "Gren" }
        """,
      right: """
        enum Color: byte { Red, Green }
        table Post { id: int (primary); color: Color; }
        root_type Post;
        { color: "Green" }
        """),
    Explanation(
      .missingField,
      """
      A `required` field is never absent: whoever reads the table relies on it.
      """,
      wrong: """
        table Post { id: int (primary); title: string (required); tag: string; }
        root_type Post;
        { tag: "new" }
        """,
      right: """
        table Post { id: int (primary); title: string (required); tag: string; }
        root_type Post;
        { title: "Hello", tag: "new" }
        """),
    Explanation(
      .incompleteStruct,
      """
      A struct has all its fields, always: it has no place to note that one is absent, and no defaults.
      """,
      wrong: """
        struct Point { x: float; y: float; }
        table Post { id: int (primary); at: Point; }
        root_type Post;
        { at: { x: 1 } }
        """,
      right: """
        struct Point { x: float; y: float; }
        table Post { id: int (primary); at: Point; }
        root_type Post;
        { at: { x: 1, y: 2 } }
        """),
    Explanation(
      .wrongLength,
      """
      A fixed array has as many elements as the schema says, a struct that is written as a list has a value for each \
      of its fields, and a vector of unions has as many values as types.
      """,
      wrong: """
        struct Grid { cells: [int:3]; }
        table Post { id: int (primary); grid: Grid; }
        root_type Post;
        { grid: { cells: [1, 2] } }
        """,
      right: """
        struct Grid { cells: [int:3]; }
        table Post { id: int (primary); grid: Grid; }
        root_type Post;
        { grid: { cells: [1, 2, 3] } }
        """),
    Explanation(
      .incompleteUnion,
      """
      A union's value can only be read by its type, which stands in a field of its own: the union's name with `_type` \
      behind it. A vector of unions has a vector of types, as long as that of the values. In a schema, as in flatc, the type \
      stands before the value or, of a single union, right after it; in a file of data anywhere in the object.
      """,
      wrong: """
        table Text { text: string; }
        union Content { Text }
        table Post { id: int (primary); content: Content; }
        root_type Post;
        { content: { text: "Hello" } }
        """,
      right: """
        table Text { text: string; }
        union Content { Text }
        table Post { id: int (primary); content: Content; }
        root_type Post;
        { content_type: Text, content: { text: "Hello" } }
        """),
    Explanation(
      .wrongUnionType,
      """
      The type of a union's value is one of the union's members, and not `NONE`, which says that there is no value.
      """,
      wrong: """
        table Text { text: string; }
        union Content { Text }
        table Post { id: int (primary); content: Content; }
        root_type Post;
        { content_type: NONE, content: { text: "Hello" } }
        """,
      right: """
        table Text { text: string; }
        union Content { Text }
        table Post { id: int (primary); content: Content; }
        root_type Post;
        { content_type: Text, content: { text: "Hello" } }
        """),
    Explanation(
      .unreadableAhead,
      """
      Where a union's value stands before its type in a schema's object, it is passed over and read again once the type is \
      known; what stands in a nested FlatBuffer likewise. In such a place a bare name or a function means nothing yet. Write the type first, \
      or the value as a number or in quotes.
      """,
      wrong: """
        table Box { size: float; }
        union Shape { Box }
        table Post { id: int (primary); shape: Shape; }
        root_type Post;
        { shape: { size: rad(1) }, shape_type: Box }
        """,
      right: """
        table Box { size: float; }
        union Shape { Box }
        table Post { id: int (primary); shape: Shape; }
        root_type Post;
        { shape_type: Box, shape: { size: rad(1) } }
        """),
    Explanation(
      .deprecatedField,
      """
      A deprecated field is gone from every API. Its value is checked, and nobody will ever read it.
      """,
      wrong: """
        table Post { id: int (primary); title: string; old: int (deprecated); }
        root_type Post;
        { title: "Hello", old: 1 }
        """,
      right: """
        table Post { id: int (primary); title: string; old: int (deprecated); }
        root_type Post;
        { title: "Hello" }
        """),
    Explanation(
      .surprisingValue,
      """
      The value is valid, and may not mean what it says: a number that is none of its enum's, one that becomes infinite \
      or loses digits, a bool that is neither 0 nor 1, a union's type without its value, or a key of a FlexBuffer with a \
      zero byte, at which it ends.
      """,
      wrong: """
        table Post { id: int (primary); isRead: bool; }
        root_type Post;
        { isRead: 2 }
        """,
      right: """
        table Post { id: int (primary); isRead: bool; }
        root_type Post;
        { isRead: true }
        """),
    Explanation(
      withoutExamples: .notAnObject,
      """
      `dflatc convert` reads data as one JSON object in a file of its own: `{ "title": "Hello" }`. The schema is another \
      file, which is named apart from it.
      """),
    Explanation(
      withoutExamples: .looseJSON,
      """
      JSON is read as leniently as a schema: names need no quotes, comments may stand in it, and a comma may follow the last \
      entry. With `--strict-json` it must be JSON as other programs read it, but for comments: names and strings in double \
      quotes, no comma after the last entry, no numbers such as `0x10`, `007`, `.5` or `+1`, and no escapes `\\x` or `\\'` in \
      strings.
      """),
  ]
}
