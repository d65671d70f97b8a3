import Emitters
import Foundation

/// Files that are written in full, and wait to be put in their places.
struct PreparedFiles {
  /// The files.
  let files: [GeneratedFile]
  private var replacements: [FileReplacement] = []

  /// Writes `files` beside their places in a folder. If one cannot be written, none is left.
  init(_ files: [GeneratedFile], in output: String) throws(OutputFolder.WriteError) {
    self.files = files
    do throws(OutputFolder.WriteError) {
      var folders: Set<String> = []
      for file in files {
        let path = (output as NSString).appendingPathComponent(file.name)
        let folder = path.parentFolder
        if folders.insert(folder).inserted { try OutputFolder.make(folder, for: path) }
        replacements.append(try FileReplacement(path, with: file.content))
      }
    } catch {
      discard()
      throw error
    }
  }

  /// Puts one file after the other in its place. An error leaves those before it in theirs: another run writes the rest.
  func commit() throws(OutputFolder.WriteError) {
    for replacement in replacements { try replacement.commit() }
  }

  /// Removes what is not in its place.
  func discard() {
    for replacement in replacements { replacement.discard() }
  }
}
