/// The commit and folder that `--against git:REF[:DIR]` names.
struct GitReference {
  /// The commit, as it was written.
  let name: String
  /// The folder, from the repository's root, below which files stood.
  let folder: String?

  /// Parses a reference; nil if the text is none.
  init?(_ text: String) {
    guard text.hasPrefix("git:") else { return nil }
    let parts = text.dropFirst(4).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { return nil }
    self.name = String(name)
    folder = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
  }
}
