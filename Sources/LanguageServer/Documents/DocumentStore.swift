import FBSSchema

/// A document that a client has open. Its text takes precedence over the file's content on disk.
struct OpenDocument {
  /// The URI, as the client spells it.
  let uri: String
  let path: String
  var version: Int?
  var text: DocumentText

  /// The size in bytes up to which documents are analyzed while they are edited. The analysis of a document of this size,
  /// about 400,000 lines, takes more than a second and hundreds of megabytes, for each key stroke.
  static let maximumAnalyzedSize = 8_000_000
  /// Whether the document is too large to be analyzed while it is edited.
  var isTooLarge: Bool { text.bytes.count > Self.maximumAnalyzedSize }
}

/// The open documents, by the identity of their files.
struct DocumentStore {
  private(set) var documents: [String: OpenDocument] = [:]

  subscript(identity: String) -> OpenDocument? {
    get { documents[identity] }
    set { documents[identity] = newValue }
  }
}

/// The server's access to the machine on which it runs.
public protocol LanguageServerHost: SourceProvider {
  /// Returns the paths of the schemas below a folder, in an order that is the same on every machine; none if the folder
  /// cannot be read.
  func schemas(below folder: String) -> [String]
  /// Returns the names in a folder; the names of folders end with a slash. Returns none if the folder cannot be read.
  func entries(of folder: String) -> [String]
  /// Returns what a team has set for a schema: the nearest configuration from the schema's folder upwards.
  func configuration(for path: String) -> HostConfiguration
  /// Compares a schema with its earlier version, as `dflatc check` does.
  ///
  /// - Parameters:
  ///   - folders: the folders of the workspace.
  ///   - includePaths: the folders of includes that the editor has set.
  ///   - texts: the texts of open documents, by the identities of their files.
  /// - Returns: nil if the schema has no earlier version.
  func findings(
    about path: String, in folders: [String], includePaths: [String], texts: [String: [UInt8]]
  ) -> EvolutionAnswer?
  /// The version of the compiler.
  var version: String { get }
  /// The URL of the folder with the pages about codes; nil if there is none.
  var pages: String? { get }
}

extension LanguageServerHost {
  /// Returns nil: a host without earlier versions has nothing to compare with.
  public func findings(
    about path: String, in folders: [String], includePaths: [String], texts: [String: [UInt8]]
  ) -> EvolutionAnswer? { nil }
}

/// The files of a host, in which the texts of open documents replace those on disk.
struct OverlaidFiles<Host: LanguageServerHost>: SourceProvider {
  let host: Host
  let documents: [String: OpenDocument]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if !documents.isEmpty, let document = documents[host.identity(of: path)] { return document.text.bytes }
    return try host.read(path)
  }

  func identity(of path: String) -> String { host.identity(of: path) }
}
