/// What `--against git:REF[:DIR]` names.
struct GitReference: Equatable {
  /// The commit, as it was written.
  let name: String
  /// The folder, from the repository's root, below which files stood.
  let folder: String?

  init(name: String, folder: String?) {
    self.name = name
    self.folder = folder.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Nothing if it is none.
  init?(_ text: String) {
    guard text.hasPrefix("git:") else { return nil }
    let parts = text.dropFirst(4).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { return nil }
    self.init(name: String(name), folder: parts.count > 1 ? String(parts[1]) : nil)
  }
}
