/// The explanation of a code at length: what is wrong, why it matters, and how it is done right.
///
/// Each module keeps the explanations of its codes: `Explanation.parser`, and so on. Tests ensure that every code has
/// one, and that the examples do what the text says.
public struct Explanation: Sendable {
  /// The files of an example, as short as they can be.
  public struct Example: Sendable {
    /// A file of an example.
    public struct File: Sendable {
      /// The path of the file or folder.
      public let path: String
      /// The text. Nil if it is a folder.
      public let text: String?

      /// Creates a file, or a folder if there is no text.
      public init(_ path: String, _ text: String?) {
        self.path = path
        self.text = text
      }
    }

    /// The files to compile, `schema.fbs` last, and folders beside them.
    public let files: [File]

    /// Creates an example of a schema and what stands beside it.
    public init(_ schema: String, beside others: [File] = []) {
      files = others + [File("schema.fbs", schema)]
    }

    /// Creates an example of several files, none of which is the schema.
    public init(files: [File]) {
      self.files = files
    }
  }

  /// An example of a mistake, and the same example without it.
  public struct Pair: Sendable {
    /// An example whose compilation gives a diagnostic with the code.
    public let wrong: Example
    /// An example whose compilation gives no diagnostic.
    public let right: Example
  }

  /// The code that is explained.
  public let code: DiagnosticCode
  /// What is wrong and why it matters: plain text, in paragraphs with an empty line between two.
  public let text: String
  /// Examples. Nil if the mistake cannot be shown in a few lines.
  public let examples: Pair?

  /// Creates an explanation with schemas of one file as examples.
  public init(_ code: DiagnosticCode, _ text: String, wrong: String, right: String) {
    self.init(code, text, wrong: Example(wrong), right: Example(right))
  }

  /// Creates an explanation with examples.
  public init(_ code: DiagnosticCode, _ text: String, wrong: Example, right: Example) {
    self.code = code
    self.text = text
    examples = Pair(wrong: wrong, right: right)
  }

  /// Creates an explanation of something that no short example can show.
  public init(withoutExamples code: DiagnosticCode, _ text: String) {
    self.code = code
    self.text = text
    examples = nil
  }
}
