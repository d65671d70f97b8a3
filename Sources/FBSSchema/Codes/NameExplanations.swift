import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the codes of resolution and of the store's rules, in the order of the codes.
  public static let schema: [Explanation] = (names + numbers + attributes + forms + objects + store)
    .sorted { $0.code.id < $1.code.id }

  /// The explanations of the codes about files, names and types.
  private static let names: [Explanation] = [
    Explanation(
      .missingInclude,
      """
      An included file is looked for in the folder of the file that includes it, then in each folder that `-I` names, in \
      order. The notes list the paths that were tried.
      """,
      wrong: Example(
        """
        include "colours.fbs";
        table Post { title: string; }
        """),
      right: Example(
        """
        include "colors.fbs";
        table Post { color: Color; }
        """,
        beside: [.init("colors.fbs", "enum Color: byte { Red, Green }")])),
    Explanation(
      .unreadableInclude,
      """
      There is something of that name, and the system refuses to give its content: it is a folder, or you may not read \
      it. The message holds the system's reason.
      """,
      wrong: Example(
        """
        include "common";
        table Post { title: string; }
        """,
        beside: [.init("common", nil)]),
      right: Example(
        """
        include "common.fbs";
        table Post { color: Color; }
        """,
        beside: [.init("common.fbs", "enum Color: byte { Red, Green }")])),
    Explanation(
      .unknownType,
      """
      Nothing defines a type of that name where it is used. Names are looked for in the namespace in which they are \
      used, then in those around it, then in the global one. The file that defines the type must be included, directly \
      or by way of another file. A type in another namespace is written with it: `Shop.Money`.
      """,
      wrong: """
        enum Color: byte { Red, Green }
        table Post { color: Colour; }
        """,
      right: """
        enum Color: byte { Red, Green }
        table Post { color: Color; }
        """),
    Explanation(
      .duplicateDefinition,
      """
      A namespace has one definition of a name, be it a table, a struct, an enum or a union. Otherwise nobody could say \
      which of them a field means. Rename one, or put it into another namespace.

      Two files that no input includes together may define the same name, each for itself. That is a warning where Swift is \
      generated: one Swift module cannot hold both.
      """,
      wrong: """
        table Post { title: string; }
        enum Post: byte { Draft, Public }
        """,
      right: """
        table Post { title: string; }
        enum State: byte { Draft, Public }
        """),
    Explanation(
      .duplicateMember,
      """
      The fields of a table or struct, the values of an enum, the members of a union and the methods of a service have \
      names of their own. A union may have several members of one type, each with its own name.
      """,
      wrong: """
        table Post {
          title: string;
          title: string;
        }
        """,
      right: """
        table Post {
          title: string;
          text: string;
        }
        """),
    Explanation(
      .nameClash,
      """
      The name is needed for something else. A field of a union type brings a hidden field along, `<name>_type`, which \
      tells the members apart, and every union has `NONE`.
      """,
      wrong: """
        table Text { text: string; }
        union Content { Text }
        table Post {
          content: Content;
          content_type: int;
        }
        """,
      right: """
        table Text { text: string; }
        union Content { Text }
        table Post {
          content: Content;
          kind: int;
        }
        """),
    Explanation(
      .wrongType,
      """
      The type exists, and cannot stand here. Unions hold tables, structs and strings; structs hold numbers, bools, \
      enums, other structs and arrays of a fixed length; an enum's numbers are whole; vectors hold no vectors; and \
      services go from table to table. A wrapper helps: a table with one field can stand almost anywhere.
      """,
      wrong: "table Grid { rows: [[int]]; }",
      right: """
        table Row { cells: [int]; }
        table Grid { rows: [Row]; }
        """),
    Explanation(
      .ambiguousName,
      """
      Two types could be meant, and this compiler takes the nearest one whatever the order of the definitions, while \
      flatc may take the other. Write the type with its namespace, or rename one, so that all tools agree.
      """,
      wrong: """
        enum Color: byte { Red }
        namespace Shop;
        table Color { name: string; }
        table Post { color: Color; }
        """,
      right: """
        enum Color: byte { Red }
        namespace Shop;
        table Paint { name: string; }
        table Post { color: Color; }
        """),
  ]
}
