import Emitters
import Foundation

/// Files that are written in full, and not yet renamed to their final paths.
struct PreparedFiles {
  /// The files.
  let files: [GeneratedFile]
  private var replacements: [FileReplacement] = []

  /// Writes `files` beside their final paths in a folder. If one cannot be written, removes all of them.
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

  /// Renames one file after the other. An error leaves those before it renamed: another run writes the rest. Devices and
  /// pipes have to wait for `writeStreams`.
  func commit() throws(OutputFolder.WriteError) {
    for replacement in replacements where !replacement.isStream { try replacement.commit() }
  }

  /// Whether some of the files are devices or pipes.
  var hasStreams: Bool { replacements.contains(where: \.isStream) }

  /// Writes into the devices and pipes, which may take as long as their readers like.
  func writeStreams() throws(OutputFolder.WriteError) {
    for replacement in replacements where replacement.isStream { try replacement.commit() }
  }

  /// Removes the files that are not renamed.
  func discard() {
    for replacement in replacements { replacement.discard() }
  }
}
