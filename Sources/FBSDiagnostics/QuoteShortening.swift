extension String {
  /// Returns the text, in which what stands in backticks is at most 60 characters long, and ends with three dots if it was
  /// longer. A schema may have a name of megabytes, which nobody reads, and which would hide the message.
  ///
  /// Texts up to 300 bytes stay as they are: most have short names, and a path is worth reading to its end.
  func withShortQuotes() -> String {
    guard utf8.count > 300 else { return self }
    var parts = split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices where !index.isMultiple(of: 2) && parts[index].utf8.count > 60 {
      parts[index] = String(parts[index].unicodeScalars.prefix(57)) + "..."
    }
    return parts.joined(separator: "`")
  }
}
