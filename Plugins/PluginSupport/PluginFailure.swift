/// Why a plug-in cannot do its work, as SwiftPM shows it.
struct PluginFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
