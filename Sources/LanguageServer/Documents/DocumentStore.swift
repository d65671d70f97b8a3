import FBSSchema

/// A document that a client has open. Its text takes precedence over the file's content on disk.
struct OpenDocument {
  /// The URI, as the client spells it.
  let uri: String
  let path: String
  /// The identity of the file, as of the last look at the disk: it changes when the file is created, or a link on its
  /// path is changed.
  var identity: String
  var version: Int?
  var text: DocumentText

  /// The size in bytes up to which documents are analyzed while they are edited. The analysis of a document of this size,
  /// about 400,000 lines, takes more than a second and hundreds of megabytes, for each key stroke.
  static let maximumAnalyzedSize = 8_000_000
  /// Whether the document is too large to be analyzed while it is edited.
  var isTooLarge: Bool { text.bytes.count > Self.maximumAnalyzedSize }
}

/// The open documents, by their URIs as the client spells them.
///
/// Two documents may be of one file, if the client has opened it by a link as well. For other documents, the one counts
/// that was opened or changed last.
struct DocumentStore {
  private(set) var documents: [String: OpenDocument] = [:]
  /// The URIs, in the order in which the documents were opened or changed last.
  private var order: [String] = []
  /// The URI of the document that counts for each file, by the file's identity.
  private var latest: [String: String] = [:]

  subscript(uri: String) -> OpenDocument? { documents[uri] }

  /// Returns the document that counts for a file; nil if the file is not open.
  func document(of identity: String) -> OpenDocument? { latest[identity].flatMap { documents[$0] } }

  /// The texts that count for open files, by the files' identities.
  var texts: [String: [UInt8]] { latest.compactMapValues { documents[$0]?.text.bytes } }

  /// Adds a document, or replaces the one with its URI.
  mutating func set(_ document: OpenDocument) {
    documents[document.uri] = document
    order.removeAll { $0 == document.uri }
    order.append(document.uri)
    findLatest()
  }

  /// Removes the document with a URI.
  /// - Returns: the document; nil if there is none.
  mutating func remove(_ uri: String) -> OpenDocument? {
    guard let document = documents.removeValue(forKey: uri) else { return nil }
    order.removeAll { $0 == uri }
    findLatest()
    return document
  }

  /// Determines the identities of all documents' files again.
  /// - Parameter identity: returns the identity of the file at a path.
  mutating func refreshIdentities(_ identity: (String) -> String) {
    for uri in order {
      guard let path = documents[uri]?.path else { continue }
      documents[uri]?.identity = identity(path)
    }
    findLatest()
  }

  private mutating func findLatest() {
    latest = [:]
    for uri in order {
      if let document = documents[uri] { latest[document.identity] = uri }
    }
  }
}

/// The server's access to the machine on which it runs.
public protocol LanguageServerHost: SourceProvider {
  /// Returns the paths of the schemas below a folder, in an order that is the same on every machine; none if the folder
  /// cannot be read.
  func schemas(below folder: String) -> [String]
  /// Returns the names in a folder; the names of folders end with a slash. Returns none if the folder cannot be read.
  func entries(of folder: String) -> [String]
  /// Returns the team's configuration for a schema: the nearest one from the schema's folder upwards.
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
  /// The texts of open documents, by the identities of their files.
  let texts: [String: [UInt8]]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if !texts.isEmpty, let text = texts[host.identity(of: path)] { return text }
    return try host.read(path)
  }

  func identity(of path: String) -> String { host.identity(of: path) }
}
