import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the emitters' codes, in the order of the codes.
  public static let emitters: [Explanation] = [
    Explanation(
      EmitterCode.nameCollision,
      """
      `(swift_name: "...")` says what a type, a field, or a value of an enum or union is called in Swift. Here something \
      else has that name already: another one that `swift_name` names, or a type that is generated, as `PostReader` is \
      for `Post`. Choose another name. The schema's own names never collide: one that is taken in Swift gives way, see \
      D0308.
      """,
      wrong: """
        table Post {
          title: string (primary, swift_name: "name");
          author: string (swift_name: "name");
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary, swift_name: "name");
          author: string (swift_name: "authorName");
        }
        root_type Post;
        """),
    Explanation(
      EmitterCode.reservedName,
      """
      `(swift_name: "...")` gives a name that means something else to Swift or to the generated code: `Type` as a field, \
      a member that the code has in each type, such as `_rowid`, or a type or namespace that the code names beside it \
      and that would be hidden. With another meaning the code would not compile. Choose another name. A keyword is \
      fine: it is written in backticks.
      """,
      wrong: """
        table Post {
          title: string (primary);
          row: long (swift_name: "_rowid");
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          row: long (swift_name: "rowNumber");
        }
        root_type Post;
        """),
    Explanation(
      EmitterCode.endlessTable,
      """
      A table may hold others of its kind, as a list or a tree does. But where the field is `(required)`, every object \
      needs another one within it, that one needs a third, and so on: there can be no such object. Let the field be \
      absent where the list ends.
      """,
      wrong: """
        table Node {
          value: int;
          next: Node (required);
        }
        """,
      right: """
        table Node {
          value: int;
          next: Node;
        }
        """),
    Explanation(
      EmitterCode.notCodable,
      """
      A `(codable)` type takes all types that it reaches along. But a file is compiled without those that include it, \
      so that a type of an included file has to say by itself that it is codable. Or compile both files in one run.
      """,
      wrong: Explanation.Example(
        """
        include "shapes.fbs";
        table Post (codable) {
          title: string (primary);
          shape: Shape;
        }
        root_type Post;
        """,
        beside: [Explanation.Example.File("shapes.fbs", "table Shape { sides: int; }")]),
      right: Explanation.Example(
        """
        include "shapes.fbs";
        table Post (codable) {
          title: string (primary);
          shape: Shape;
        }
        root_type Post;
        """,
        beside: [Explanation.Example.File("shapes.fbs", "table Shape (codable) { sides: int; }")])),
    Explanation(
      withoutExamples: EmitterCode.refusedByPlugin,
      """
      A program that `--plugin` names says that it cannot make anything of the schema; the message is its own. Nothing \
      is written, also not by the other emitters. Change the schema, or leave the plug-in out.
      """),
    Explanation(
      EmitterCode.largeTable,
      """
      A `(required)` table is there in every object, with all that it requires itself. Where each table requires the next \
      one twice, their number doubles each time: ten such tables are more than a thousand, thirty more than there is room \
      for. Let some of the fields be absent, or hold the tables in a vector, which may be empty.
      """,
      wrong: """
        table T0 { a: T1 (required); b: T1 (required); }
        table T1 { a: T2 (required); b: T2 (required); }
        table T2 { a: T3 (required); b: T3 (required); }
        table T3 { a: T4 (required); b: T4 (required); }
        table T4 { a: T5 (required); b: T5 (required); }
        table T5 { a: T6 (required); b: T6 (required); }
        table T6 { a: T7 (required); b: T7 (required); }
        table T7 { a: T8 (required); b: T8 (required); }
        table T8 { a: T9 (required); b: T9 (required); }
        table T9 { x: int; }
        """,
      right: """
        table T0 { a: T1 (required); b: T1; }
        table T1 { a: T2 (required); b: T2; }
        table T2 { a: T3 (required); b: T3; }
        table T3 { a: T4 (required); b: T4; }
        table T4 { a: T5 (required); b: T5; }
        table T5 { a: T6 (required); b: T6; }
        table T6 { a: T7 (required); b: T7; }
        table T7 { a: T8 (required); b: T8; }
        table T8 { a: T9 (required); b: T9; }
        table T9 { x: int; }
        """),
    Explanation(
      EmitterCode.renamed,
      """
      This is no mistake. Every valid schema has Swift, and a name that Swift cannot hold is written in backticks, \
      spelled with its module (`Swift.String`), or gives way: an underscore is added, and where that name is taken too, \
      an underscore and a number (`hpOld_`, `hpOld_2`). A name gives way if Swift or the generated code means something \
      else by it, if something else has it (`hp_old` and `hpOld` are both `hpOld` in Swift), or if it would hide a type \
      or namespace that the code names. Who is written so in the schema comes first, then who comes first in the text; \
      included files come first. To choose the name yourself, write `(swift_name: "...")`. Only Swift changes: tables, \
      JSON, binary schemas and `dflatc check` know the schema's name alone.
      """,
      wrong: """
        table Post {
          title: string (primary);
          self: string;
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          self: string (swift_name: "itself");
        }
        root_type Post;
        """),
    Explanation(
      EmitterCode.wrongSwiftName,
      """
      The text after `swift_name` has to be a name in Swift: letters, digits and underscores, with no digit first, and \
      more than an underscore. A keyword is fine, and is written here without backticks.
      """,
      wrong: """
        table Post {
          title: string (primary, swift_name: "the title");
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary, swift_name: "theTitle");
        }
        root_type Post;
        """),
    Explanation(
      EmitterCode.ungeneratedInclude,
      """
      This is no mistake of the schema. A run emits what its inputs define, and not what they include: every file is \
      compiled once. Swift that uses a type of an included file compiles only if the output of that file is in the same \
      module. Give the included file to the run as well, or a folder that holds both; or compile it to the same folder in \
      a run of its own. `--gen-all` compiles all that the inputs include, and lets included files use what only the file that \
      includes them brings. The note is not there if the output folder has its Swift already.
      """,
      wrong: Explanation.Example(
        """
        include "color.fbs";
        table Post {
          title: string (primary);
          color: Color;
        }
        root_type Post;
        """, beside: [.init("color.fbs", "enum Color: byte { Red, Green }")]),
      right: Explanation.Example(
        """
        enum Color: byte { Red, Green }
        table Post {
          title: string (primary);
          color: Color;
        }
        root_type Post;
        """)),
  ]
}
