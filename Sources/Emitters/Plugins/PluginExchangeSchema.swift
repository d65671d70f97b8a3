extension PluginExchange {
  /// The text of Documentation/plugin.fbs, which `dflatc plugin-schema` prints, so that it is available wherever dflatc
  /// is.
  public static let schema = """
    // What dflatc and its plug-ins say to each other.
    //
    // `dflatc compile --plugin NAME` runs the program `dflatc-gen-NAME`. It reads one CodeGeneratorRequest from its standard
    // input, to the end, writes one CodeGeneratorResponse to its standard output, and exits with 0. What it writes to standard
    // error is shown, up to 1 MiB, with control characters escaped.
    //
    // A program with rules of a team's own, which `.dflatc.json` names, is asked in the same way by `dflatc lint` and
    // `dflatc check`, and answers with findings.

    /// What a plug-in is asked.
    table CodeGeneratorRequest {
      /// The files that the compiler was given, each by the path that `declaration_file` gives it in the schema.
      files_to_generate: [string];
      /// What follows the colon in `--plugin NAME:PARAMETER`; empty without one.
      parameter: string;
      /// The compiler's version, such as `0.1.0`.
      compiler_version: string;
      /// The schema with all that it includes: a FlatBuffers binary schema, whose root is `reflection.Schema` (see
      /// reflection.fbs of FlatBuffers). With several inputs it has no root table, and an entry `//inputs` among its files,
      /// which includes them all; with `--gen-all`, only if no input leads to all others.
      schema: [ubyte];
      /// What the names of outputs begin with, for each of `files_to_generate`: `post`, as in `post_generated.swift`. Inputs of
      /// one name have their folders in it.
      output_stems: [string];
      /// The Swift types of the definitions in the schema. Empty if the run writes no Swift.
      swift_types: [SwiftType];
      /// Who may use the Swift of this run, as `--access` says it: `internal`, `package` or `public`.
      access: string;
      /// For a program with rules: `lint`, or `check` to compare two versions. Empty for one that emits.
      task: string;
      /// The old version, of which `schema` is the new one, if two are compared: a binary schema as well.
      old_schema: [ubyte];
    }

    /// What generated Swift calls a definition of the schema, as code outside of all types and namespaces spells it.
    table SwiftType {
      /// The definition's name in the schema, such as `Shop.Order`.
      name: string;
      /// The type of the data model.
      model: string;
      /// The type of the accessors: what reads a table, struct or union, and the value of an enum.
      accessor: string;
      /// Who may use both: the request's `access`, or `internal` for a type with `(private)` and for one that holds such a type.
      access: string;
    }

    /// A file to be written.
    table GeneratedFile {
      /// The path within the output folder, with `/` between its parts: neither absolute nor out of the folder.
      name: string;
      /// The content. A file that would not change is left alone.
      content: [ubyte];
    }

    /// Something that a program with rules has found.
    table Finding {
      /// The id of the rule, one of those that the configuration lists.
      rule: string;
      /// What is found, in one line.
      message: string;
      /// What to do. May be empty.
      advice: string;
      /// What it is about: a type by its whole name, such as `Shop.Order`, or a member of it, such as `Shop.Order.id`.
      name: string;
      /// Without a name: the file, by the path that `declaration_file` gives it. The first input if there is none.
      file: string;
    }

    /// What a plug-in answers.
    table CodeGeneratorResponse {
      /// Why the schema has no output, for people to read. With an error, nothing is written.
      error: string;
      /// The files to write.
      files: [GeneratedFile];
      /// What a program with rules has found. Such a program writes no files.
      findings: [Finding];
      /// The rules that this task checks in full: a comment that allows one of them and lets no finding through is reported as
      /// unused. A rule that may find something else in the other task is left out. Without the list, no comment is reported.
      checked_rules: [string];
    }

    root_type CodeGeneratorResponse;

    """
}
