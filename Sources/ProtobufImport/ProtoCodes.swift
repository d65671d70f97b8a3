import FBSDiagnostics

/// The codes of mistakes in files of Protocol Buffers, and of files that cannot become schemas.
public enum ProtoCode {
  /// The text is no file of Protocol Buffers.
  static let malformed = DiagnosticCode("D0601", "a text that is no file of Protocol Buffers")
  /// A type that no file defines.
  static let unknownType = DiagnosticCode("D0602", "a type of Protocol Buffers that no file defines")
  /// The schema that was made has errors.
  public static let invalidResult = DiagnosticCode(
    "D0603", "a file of Protocol Buffers that cannot become a valid schema")
  /// A type that no name of a schema means at its place.
  static let hiddenType = DiagnosticCode("D0604", "a type of Protocol Buffers that another one hides in a schema")
}

extension Explanation {
  /// The explanations of the codes of `ProtoCode`.
  public static let protobuf: [Explanation] = [
    Explanation(
      withoutExamples: ProtoCode.malformed,
      """
      `dflatc import` reads files of Protocol Buffers: proto2, proto3 and editions. `protoc` refuses what has this error, too: \
      a statement that the language does not have, an enum without values, or files that import one another in a circle.
      """),
    Explanation(
      withoutExamples: ProtoCode.unknownType,
      """
      A field or method names a type that neither the file nor one that it imports defines. As a rule, an imported file was not \
      found: files are looked for beside the one that imports them, and in the folders of `-I`. The types of `google.protobuf` are \
      known without their files, but for those that are nested in another.
      """),
    Explanation(
      withoutExamples: ProtoCode.invalidResult,
      """
      `dflatc import` compiles each schema before it writes it. The schema that this file would become has errors. They are shown \
      before this one, at their places in that schema, and no schema is written. Rename in the `.proto` file what the errors name.
      """),
    Explanation(
      withoutExamples: ProtoCode.hiddenType,
      """
      Schemas look for a name in the namespace of the file, then in those around it, and have no way to start from the outside, \
      as `.Type` does in Protocol Buffers. Here, the name that would be written means another type.
      """),
  ]
}
