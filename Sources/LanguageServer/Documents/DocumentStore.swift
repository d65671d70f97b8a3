import FBSSchema

/// A document that a client has open. Its text counts, and not that of the file.
struct OpenDocument {
  /// The address, as the client spells it.
  let uri: String
  let path: String
  var version: Int?
  var text: DocumentText
}

/// The open documents, by the identity of their files.
struct DocumentStore {
  private(set) var documents: [String: OpenDocument] = [:]

  subscript(identity: String) -> OpenDocument? {
    get { documents[identity] }
    set { documents[identity] = newValue }
  }
}

/// What the server needs to know of the machine it runs on.
package protocol LanguageServerHost: SourceProvider {
  /// The paths of the schemas below a folder, in an order that is the same on every machine. None if it cannot be read.
  func schemas(below folder: String) -> [String]
  /// The names in a folder; those of folders end with a slash. None if it cannot be read.
  func entries(of folder: String) -> [String]
  /// What a team has set for a schema: the nearest configuration from its folder upwards.
  func configuration(for path: String) -> HostConfiguration
  /// The version of the compiler.
  var version: String { get }
  /// The address of the folder with the pages about codes, if there is one.
  var pages: String? { get }
}

/// The files of a host, with the texts of open documents in place of those on disk.
struct OverlaidFiles<Host: LanguageServerHost>: SourceProvider {
  let host: Host
  let documents: [String: OpenDocument]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if !documents.isEmpty, let document = documents[host.identity(of: path)] { return document.text.bytes }
    return try host.read(path)
  }

  func identity(of path: String) -> String { host.identity(of: path) }
}
