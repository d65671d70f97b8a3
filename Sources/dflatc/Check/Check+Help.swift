import ArgumentParser

/// The text of `dflatc check --help` above the options.
extension Check {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that a schema may replace an older version: that data already written stays readable.",
    usage: """
      dflatc check [<options>] OLD NEW
      dflatc check [<options>] --against git:REF[:DIR] [--staged] [--rename OLD=NEW]... FILE...
      dflatc check [<options>] --against merge-base[:REF[:DIR]] FILE...
      dflatc check [<options>] --against OLD NEW
      dflatc check [<options>] --conform BASE FILE...
      """,
    discussion: """
      OLD and NEW are schemas (.fbs), folders of them, or binary schemas (.bfbs). A folder is checked as a whole: types may \
      move between its files. Where two files define the same name, as those of several apps do, each is checked with the \
      files that it includes. With --against, OLD is what stands at the same paths in a git commit, includes and all; the \
      work tree is not touched. With --staged, NEW is what is going to be committed. What was removed is shown in its place in \
      OLD.

      merge-base:REF is the commit where HEAD left the branch REF: only what HEAD has changed counts, and not what came to REF \
      since. merge-base alone takes the branch that a pull request of GitHub, GitLab and others names in its environment, or \
      else the main branch of origin. With "against" in \(TeamConfiguration.fileName), files alone are enough: also two of \
      them are then compared with that version, and --against OLD NEW compares one with the other.

      --conform BASE takes the arguments of `flatc --conform BASE`: -I is for the files, --conform-includes for BASE.

      Each finding has a rule, a severity, a place in NEW and one in OLD, what goes wrong for a user's data, and what to do \
      instead:

        error    stored data would be lost, misread or refused
        warning  code stops building, or something may go wrong that no stored object shows
        note     all is well; this is what happens at run time

      All that the given files define is judged, whether or not a root leads to it. A type of an included file that nothing \
      in them holds is at most a warning: its own file is to be checked, or --gen-all given, which judges all that is included. \
      A file with errors is reported, and the others are \
      checked.

      -I names folders for what both versions include, and neither may find the other one's files there; --old-include and \
      --new-include name those of one version.

      Fields are matched by their numbers, enum values by theirs, and types by the ways that lead to them: so what was only \
      renamed or moved to another file is not taken for another thing.

      A rule is set to error, warning, note or off in a schema's nearest \(TeamConfiguration.fileName), everywhere or, in \
      "overrides", for some paths alone. Nothing is said of what it takes for somebody else's ("vendored") or leaves out \
      ("exclude"). What was removed on purpose has no place for a comment, and is let through by "allow":

        {
          "rules": { "field-renamed": "off" },
          "allow": [{ "rule": "type-removed", "path": "Schemas/old.fbs", "reason": "no release had it" }]
        }

      --write-baseline FILE writes what is found today to a file, and --baseline FILE lets it through: what is new is found.

      One place is let through by a comment in NEW, above the field or type or at the end of its line, with the reason. For \
      a type it holds for all in it:

        // dflatc:allow field-type nothing was released with it
        likes: long;

      EXAMPLES
        dflatc check released/post.fbs Schemas/post.fbs
        dflatc check --level storage released/ Schemas/
        dflatc check --gen-all released/all.fbs Schemas/all.fbs
        dflatc check --old-include released/common --new-include Schemas/common released/post.fbs Schemas/post.fbs
        dflatc check --against git:v1.4 Schemas/*.fbs
        dflatc check --against git:origin/main --rename Schemas/note.fbs=Schemas/post.fbs Schemas/post.fbs
        dflatc check --format sarif --against git:origin/main Schemas > results.sarif
        dflatc check --staged --against git:HEAD Schemas
        dflatc explain field-type

      Exit codes: 0 compatible, 1 there is a finding of severity error, 2 wrong usage, 3 a side cannot be read or parsed.
      """)
}
