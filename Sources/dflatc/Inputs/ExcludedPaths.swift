/// The files and folders that `--exclude` leaves out.
///
/// A name, such as `drafts` or `drafts/`, stands for files and folders of that name at whatever depth below a folder
/// that is named, and for that path. With another slash it is a path alone, as in configurations.
struct ExcludedPaths: Sendable {
  /// The names, without slashes.
  let names: Set<String>
  /// The components of the paths, both as they are written and with links resolved.
  private let places: Set<[String]>

  /// Reads the arguments of `--exclude`.
  init(_ arguments: [String]) {
    var names: Set<String> = []
    var places: Set<[String]> = []
    // An empty argument, as of an unset variable in a script, stands for nothing.
    for argument in arguments where !argument.isEmpty {
      if let name = Self.name(argument) { names.insert(name) }
      places.insert(AbsolutePath(argument).components)
      if InputFileSystem().isFolderOnDisk(argument) {
        places.insert(AbsolutePath(FileSystem().identity(of: argument)).components)
      } else if let place = Self.place(ofFile: argument) {
        places.insert(place)
      }
    }
    (self.names, self.places) = (names, places)
  }

  /// Returns the name that an argument is; nil if it is a path alone.
  static func name(_ argument: String) -> String? {
    let components = argument.split(separator: "/")
    guard components.count == 1, argument.first != "/", components[0] != ".", components[0] != ".." else { return nil }
    return String(components[0])
  }

  /// Returns whether a file that was found below a folder is left out, by its path, by that of a folder around it, or by
  /// a name.
  func contains(_ file: String, below folder: String) -> Bool {
    guard !places.isEmpty else { return false }
    let inner = file.dropFirst(folder.count).split(separator: "/")
    if inner.contains(where: { names.contains(String($0)) }) { return true }
    return isBelowPlace(AbsolutePath(file).components) || Self.place(ofFile: file).map(isBelowPlace) == true
  }

  /// Returns the components of a file's path, with the links in it resolved but for its last component: a link to a
  /// file is a file of its own, wherever it leads. The folders around it are the same by all their paths. Nil for the
  /// path of the root folder.
  private static func place(ofFile path: String) -> [String]? {
    guard let name = AbsolutePath(path).components.last else { return nil }
    let parent = path.parentFolder
    return AbsolutePath(FileSystem().identity(of: parent.isEmpty ? "." : parent)).components + [name]
  }

  private func isBelowPlace(_ path: [String]) -> Bool { places.contains { path.starts(with: $0) } }
}
