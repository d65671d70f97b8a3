import FBSDiagnostics

/// The codes of mistakes in a configuration, or in a file of options.
enum OptionsCode {
  /// The text is not JSON.
  static let notJSON = DiagnosticCode("D0401", "a configuration that is not JSON")
  /// A key that no option has.
  static let unknownOption = DiagnosticCode("D0402", "an option that there is not, or that is given twice")
  /// A value that an option does not take.
  static let wrongValue = DiagnosticCode("D0403", "a value that an option does not take")
  /// An extended configuration that leads back to the one that extends it, or that cannot be read.
  static let wrongExtension = DiagnosticCode("D0404", "a configuration that cannot be extended")
  /// A program with rules that fails, or whose answer is malformed.
  static let failedProgram = DiagnosticCode("D0405", "a program with rules that fails")
  /// An entry of `allow` that lets no finding through.
  static let unusedAllowance = DiagnosticCode("D0406", "an entry of `allow` that lets nothing through")
}

extension Explanation {
  /// The explanations of the codes of `OptionsCode`.
  static let options: [Explanation] = [
    Explanation(
      withoutExamples: OptionsCode.notJSON,
      """
      `.dflatc.json` holds what a team has set for its schemas, and `dflatc.json` options for the plug-ins of SwiftPM and for \
      `--options`. Each is one JSON object, in which comments (`//` and `/* */`) may stand between the entries.
      """),
    Explanation(
      withoutExamples: OptionsCode.unknownOption,
      """
      `.dflatc.json` takes `extends`, `include`, `vendored`, `exclude`, `against`, `rules`, `lint`, `overrides`, `allow`, \
      `programs` and `swift`, each once. `swift`, and a file of options, takes `emit`, `genAll`, `namespaces`, `access` and `output`; \
      a file of options also `include`, `exclude` and `against`. All else is refused, since an option that is misspelled would \
      otherwise be ignored.
      """),
    Explanation(
      withoutExamples: OptionsCode.wrongValue,
      """
      `emit`, `include`, `vendored` and `exclude` take an array of strings: names of emitters, folders, and paths or names. An absolute \
      path in `vendored`, `exclude`, `paths` or `path` lies below the folder of the file that has it. \
      `namespaces` takes "each", "none", or the name of a Swift file; `genAll` true or false; `output` a folder, and `against` \
      git:REF, merge-base:REF or a path. Paths start at the folder of the file that has them. `rules` take the ids of rules, of dflatc or of a \
      program of the configuration, with "error", "warning", "note" or "off".
      """),
    Explanation(
      withoutExamples: OptionsCode.wrongExtension,
      """
      `extends` names other configurations, by paths from the folder of the one that has it. What they say holds where this one \
      says nothing; of two of them, the later one counts. None of them may lead back to it.
      """),
    Explanation(
      withoutExamples: OptionsCode.failedProgram,
      """
      `programs` names programs with rules of a team's own. One that cannot be run, ends with an exit code other than 0 or by a \
      signal, takes longer than its `timeout`, writes more than 16 MiB, or answers with something else than what plugin.fbs \
      describes ends the command: without its findings nothing could be said of the schemas.
      """),
    Explanation(
      withoutExamples: OptionsCode.unusedAllowance,
      """
      `allow` lets findings of `dflatc check` and of programs through that have no line for a comment. Here an entry lets none through: as a rule, the \
      version that is compared with has the change already, so that the entry can go. Only a run that compares everything that the \
      entry may be about warns: its `path`, or, without one, the folder of the configuration. A run with errors in schemas, or with \
      `--exclude`, does not. Entries about rules of programs are not judged.
      """),
  ]
}
