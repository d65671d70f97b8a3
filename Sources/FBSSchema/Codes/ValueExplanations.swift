import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the codes about numbers and defaults.
  static let numbers: [Explanation] = [
    Explanation(
      .duplicateNumber,
      """
      Stored data holds the number and not the name. A number of an enum may have several names: the first is the case in Swift, and \
      the others are aliases of it. Only the lowest number may not, as in flatc. The members of a union need a code each, since the \
      code alone says which member is stored. flatc accepts two members of one code, but the C++ that it writes for them does not \
      compile.
      """,
      wrong: "enum Color: byte { Red = 1, Green = 2, Rouge = 1 }",
      right: "enum Color: byte { Red = 1, Green = 2, Blue = 3 }"),
    Explanation(
      .outOfRange,
      """
      The number does not fit in its type: a `byte` holds -128 to 127, a `ubyte` 0 to 255, and so on. For an enum, a \
      value without a number is one more than the one before. With `bit_flags`, a number is the index of a bit. Take a \
      wider type before the first data is written: afterwards it cannot be changed.
      """,
      wrong: "table Post { priority: byte = 200; }",
      right: "table Post { priority: short = 200; }"),
    Explanation(
      .wrongDefault,
      """
      The default is of another kind than its field: a fraction for a whole number, a name for a number, a number for a \
      string. A vector's only default is `[]`. Tables, structs and unions have none: they are absent unless written. \
      `= null` makes a number, a bool or an enum optional.
      """,
      wrong: "table Post { priority: int = 1.5; }",
      right: "table Post { priority: double = 1.5; }"),
    Explanation(
      .notAMember,
      """
      Reading a field that was not written gives its default, so the default must be a value that the enum has. Without \
      one it is 0, and an enum without 0 needs another default, or `= null`.
      """,
      wrong: """
        enum Color: byte { Red = 1, Green = 2 }
        table Post { color: Color; }
        """,
      right: """
        enum Color: byte { Red = 1, Green = 2 }
        table Post { color: Color = Red; }
        """),
    Explanation(
      .descendingValues,
      """
      The values of an enum go down somewhere. That is valid, and readers take values to go up: a value without a \
      number after it is easily misread, and a new value is easily given a number that is taken.
      """,
      wrong: "enum Color: byte { Red = 3, Green = 1 }",
      right: "enum Color: byte { Green = 1, Red = 3 }"),
    Explanation(
      .ambiguousNull,
      """
      `= null` makes a field optional. If its enum has a value called `null`, the default could mean either.
      """,
      wrong: """
        enum State: byte { null, Done }
        table Post { state: State = null; }
        """,
      right: """
        enum State: byte { Unknown, Done }
        table Post { state: State = null; }
        """),
    Explanation(
      .surprisingDefault,
      """
      The default is valid, and may not mean what it seems to: a bool with another number than 0 and 1, a number too \
      large for a float, which becomes infinite, or a default on a required field, which is never absent.
      """,
      wrong: "table Post { isPublic: bool = 2; }",
      right: "table Post { isPublic: bool = true; }"),
  ]

  /// The explanations of the codes about other mistakes in a definition.
  static let forms: [Explanation] = [
    Explanation(
      .emptyStruct,
      """
      A struct is its fields, one after the other. Without any it would take no bytes, and could not be told apart from \
      nothing. A table may be empty.
      """,
      wrong: "struct Point {}",
      right: "struct Point { x: float; y: float; }"),
    Explanation(
      .recursiveStruct,
      """
      A struct holds its fields in line, so one that contains itself, directly or by way of others, would have no end. \
      A table refers to what it holds, and may contain itself.
      """,
      wrong: "struct Node { value: int; next: Node; }",
      right: "table Node { value: int; next: Node; }"),
    Explanation(
      .tooLarge,
      """
      The wire format counts with 16 bits inside a table and with 32 between its parts. So a table has at most 32,765 \
      fields, its own bytes are at most 65,535, which a struct in it adds to, a struct is at most 2 GiB and a union has \
      at most 255 members.
      """,
      wrong: """
        struct Samples { values: [double:65535]; }
        table Record { samples: Samples; }
        """,
      right: "table Record { samples: [double]; }"),
    Explanation(
      .wrongRootType,
      """
      The root type says what a whole buffer, or a stored object, is. Only a table can be that: a struct, an enum and a \
      union have no place for fields that are added later.
      """,
      wrong: """
        struct Post { id: long; }
        root_type Post;
        """,
      right: """
        table Post { id: long (primary); }
        root_type Post;
        """),
    Explanation(
      .repeatedRootType,
      """
      A file has one root type: what a whole buffer is, and for a store what is stored. Where two are given, the last one \
      counts, here and for flatc. A table that is not the root type can be the root type of another file, which includes \
      this one.
      """,
      wrong: """
        table Post { id: long (primary); }
        table Comment { id: long (primary); }
        root_type Post;
        root_type Comment;
        """,
      right: """
        table Post { id: long; }
        table Comment { id: long (primary); }
        root_type Comment;
        """),
    Explanation(
      .wrongFileIdentifier,
      """
      The identifier stands in four bytes at the start of every buffer. A letter outside ASCII takes several bytes.
      """,
      wrong: """
        file_identifier "POSTS";
        table Post { title: string; }
        """,
      right: """
        file_identifier "POST";
        table Post { title: string; }
        """),
    Explanation(
      .objectWithoutRoot,
      """
      An object in JSON at the end of a schema file is one of the root type. Without `root_type` nobody can say what it \
      is. Data is better kept in a file of its own.
      """,
      wrong: """
        table Post { title: string; }
        { title: "Hello" }
        """,
      right: "table Post { title: string; }"),
  ]
}
