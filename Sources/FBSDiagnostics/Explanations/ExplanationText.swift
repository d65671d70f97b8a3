/// Explanations as people read them: in a terminal, and in Markdown.
public enum ExplanationText {
  /// Returns plain text, with lines of at most `width` letters where words allow it, ending with a line break.
  public static func plain(_ explanation: Explanation, width: Int = 80) -> String {
    var output = ""
    for paragraph in explanation.text.split(separator: "\n", omittingEmptySubsequences: false) {
      output += wrap(String(paragraph), width) + "\n"
    }
    guard let examples = explanation.examples else { return output }
    for (title, example) in [("Wrong", examples.wrong), ("Right", examples.right)] {
      output += "\n\(title):\n"
      for file in example.files {
        output += "\n"
        if example.files.count > 1 { output += "  \(name(of: file))\n" }
        for line in lines(of: file) { output += line.isEmpty ? "\n" : "    \(line)\n" }
      }
    }
    return output
  }

  /// Returns Markdown without a heading, ending with a line break.
  public static func markdown(_ explanation: Explanation) -> String {
    var output = explanation.text + "\n"
    guard let examples = explanation.examples else { return output }
    for (title, example) in [("Wrong", examples.wrong), ("Right", examples.right)] {
      output += "\n\(title):\n"
      for file in example.files {
        output += "\n"
        if example.files.count > 1 {
          output += file.text == nil ? "`\(file.path)` is a folder.\n" : "`\(file.path)`:\n\n"
        }
        guard file.text != nil else { continue }
        output += "```fbs\n" + lines(of: file).joined(separator: "\n") + "\n```\n"
      }
    }
    return output
  }

  private static func name(of file: Explanation.Example.File) -> String {
    file.text == nil ? "\(file.path) is a folder." : "\(file.path):"
  }

  /// Returns the lines of a file. Control characters, which nobody would see, are shown by their pictures.
  private static func lines(of file: Explanation.Example.File) -> [String] {
    guard let text = file.text else { return [] }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var shown = ""
      for scalar in line.unicodeScalars {
        let picture = scalar.value < 0x20 ? UnicodeScalar(0x2400 + scalar.value) : nil
        shown.unicodeScalars.append(picture ?? scalar)
      }
      return shown
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func wrap(_ text: String, _ width: Int) -> String {
    var output = ""
    var column = 0
    for word in text.split(separator: " ") {
      if column > 0 {
        let isFull = column + 1 + word.count > width
        output += isFull ? "\n" : " "
        column = isFull ? 0 : column + 1
      }
      output += word
      column += word.count
    }
    return output
  }
}
