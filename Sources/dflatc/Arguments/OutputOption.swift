import ArgumentParser

/// The value of `-o`, which several commands have.
enum OutputOption {
  static let folder = "a folder, such as Generated, or . for the current one"
  static let fileOrFolder = "a file or a folder, or - for standard output"

  /// Checks that a path is not empty, as that of a variable is that a script has not set.
  /// - Parameter meaning: what the path stands for, as part of the message.
  /// - Throws: `ValidationError` if the path is empty.
  static func check(_ path: String?, is meaning: String) throws {
    guard let path, path.isEmpty else { return }
    throw ValidationError("-o takes the path of \(meaning), and not ''.")
  }
}
