import FBSParser

extension Explanation {
  /// The explanations of the emitters' codes, in the order of the codes.
  public static let emitters: [Explanation] = [
    Explanation(
      EmitterCode.notEmittedYet,
      """
      Offsets of 64 bits (`offset64`, `vector64`) are for buffers of 2 GiB and more, which the Swift runtime does not \
      read or write; flatc itself has them for C++ alone. Nothing is left out in silence: without code for all of a \
      schema, no file is written. Leave the attribute out, or emit only what is no Swift, as `--emit bfbs` does.
      """,
      wrong: """
        table Post {
          title: string (primary);
          draft: string (offset64);
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          draft: string;
        }
        root_type Post;
        """),
    Explanation(
      EmitterCode.nameCollision,
      """
      Names are written in Swift's way, `hp_old` as `hpOld`, and some types bring others along, as `Post` does \
      `PostReader`. Here two names of the schema become one in Swift. Rename one; in data, only ids and numbers count, \
      so that old data can still be read.
      """,
      wrong: """
        table Post {
          title: string (primary);
          hp_old: int;
          hpOld: int;
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          hp_old: int;
          hp_new: int;
        }
        root_type Post;
        """),
    Explanation(
      EmitterCode.reservedName,
      """
      The generated code needs this name for something else: a word of Swift's, such as `Self`, something that it has \
      in each type, such as `Fields`, or a namespace, which a type of the same name within it would hide. With another \
      meaning the code would not compile. A type may well have the name of one of Swift's, such as `String`: the \
      generated code then says `Swift.String` for that.
      """,
      wrong: "table Self { text: string; }",
      right: "table Text { text: string; }"),
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
  ]
}
