/// The parameters of `initialize`: the client's folders, capabilities and options.
struct InitializeParams: Decodable {
  struct Folder: Decodable { var uri: String }

  struct Capabilities: Decodable {
    struct General: Decodable { var positionEncodings: [String]? }

    struct Workspace: Decodable {
      struct Dynamic: Decodable { var dynamicRegistration: Bool? }
      struct Diagnostics: Decodable { var refreshSupport: Bool? }
      var didChangeWatchedFiles: Dynamic?
      var diagnostics: Diagnostics?
    }

    struct TextDocument: Decodable {
      struct Diagnostic: Decodable { var relatedDocumentSupport: Bool? }
      var diagnostic: Diagnostic?
    }

    var general: General?
    var workspace: Workspace?
    var textDocument: TextDocument?
  }

  var capabilities: Capabilities?
  var rootUri: String?
  var rootPath: String?
  var workspaceFolders: [Folder]?
  var initializationOptions: GivenOptions?
  var processId: Int?
}

/// The settings as a client sends them. Malformed ones are no reason to refuse a message: a person whose settings have
/// a slip would be left without a server.
struct GivenOptions: Decodable {
  /// The settings; nil if they are malformed.
  let options: ServerOptions?
  /// The reason why the settings cannot be used, for people; nil if they can.
  let mistake: String?

  init(from decoder: any Decoder) throws {
    // To Lua, an empty table is an empty list as well, which Neovim sends. An error here says only that this is no list.
    if let list = try? decoder.unkeyedContainer(), list.isAtEnd {
      options = ServerOptions()
      mistake = nil
      return
    }
    do {
      options = try ServerOptions(from: decoder)
      mistake = nil
    } catch {
      let path =
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
          .dataCorrupted(let context):
          context.codingPath
        default: decoder.codingPath
        }
      let name = path.last { $0.intValue == nil }?.stringValue ?? ""
      options = nil
      mistake = "`\(name)` has not the form that in-your-editor.md describes"
    }
  }
}

/// The settings that a person makes in an editor.
package struct ServerOptions: Codable, Hashable, Sendable {
  /// The folders in which includes are looked for, after the including file's own. Relative paths are below the
  /// workspace.
  package var includePaths: [String]?
  /// The emitters whose rules schemas follow, by the names for `dflatc compile --emit`. Those of a schema's
  /// configuration, or else the default emitters, if nil.
  package var emit: [String]?
  /// Whether the rules of `dflatc lint` run; true if nil.
  package var lint: Bool?
  /// Whether schemas are compared with their earlier version, as `dflatc check` does; true if nil.
  package var check: Bool?
  /// The URL of the folder with the pages `diagnostics.md` and `lint-rules.md`, to which codes link.
  package var pages: String?

  package init(
    includePaths: [String]? = nil, emit: [String]? = nil, lint: Bool? = nil, check: Bool? = nil,
    pages: String? = nil
  ) {
    self.includePaths = includePaths
    self.emit = emit
    self.lint = lint
    self.check = check
    self.pages = pages
  }
}

struct InitializeResult: Encodable {
  struct Info: Encodable {
    var name: String
    var version: String
  }

  var capabilities: ServerCapabilities
  var serverInfo: Info
}

/// The server's capabilities.
struct ServerCapabilities: Encodable {
  struct Synchronization: Encodable {
    struct Save: Encodable { var includeText = false }
    var openClose = true
    /// The protocol's number for how clients send changes: 2 means as edits.
    var change = 2
    var save = Save()
  }

  struct Completion: Encodable { var triggerCharacters = [":", "[", "(", "\"", "=", " ", ",", ".", "/"] }
  struct CodeActions: Encodable { var codeActionKinds = ["quickfix", "refactor.rewrite", "source.fixAll"] }
  struct OnTypeFormatting: Encodable {
    var firstTriggerCharacter = "}"
    var moreTriggerCharacter = [";", "\n"]
  }
  struct Rename: Encodable { var prepareProvider = true }
  struct Links: Encodable { var resolveProvider = false }
  struct Diagnostics: Encodable {
    var identifier = "dflatc"
    var interFileDependencies = true
    var workspaceDiagnostics = false
  }
  struct SemanticTokens: Encodable {
    struct Legend: Encodable {
      var tokenTypes = SemanticTokenType.allCases.map(\.rawValue)
      var tokenModifiers = SemanticTokenModifier.names
    }
    var legend = Legend()
    var full = true
    var range = true
  }
  struct Workspace: Encodable {
    struct Folders: Encodable {
      var supported = true
      var changeNotifications = true
    }
    var workspaceFolders = Folders()
  }

  var positionEncoding: String
  var textDocumentSync = Synchronization()
  var completionProvider = Completion()
  var hoverProvider = true
  var definitionProvider = true
  var referencesProvider = true
  var documentHighlightProvider = true
  var documentSymbolProvider = true
  var workspaceSymbolProvider = true
  var codeActionProvider = CodeActions()
  var documentFormattingProvider = true
  var documentRangeFormattingProvider = true
  var documentOnTypeFormattingProvider = OnTypeFormatting()
  var renameProvider = Rename()
  var foldingRangeProvider = true
  var selectionRangeProvider = true
  var documentLinkProvider = Links()
  var callHierarchyProvider = true
  var inlayHintProvider = true
  var semanticTokensProvider = SemanticTokens()
  var diagnosticProvider = Diagnostics()
  var workspace = Workspace()
}

struct SetTraceParams: Decodable { var value: String? }

struct CancelParams: Decodable { var id: RequestID }

struct ConfigurationParams: Decodable {
  struct Settings: Decodable { var dflatc: GivenOptions? }
  var settings: Settings?
}

struct FoldersChangeParams: Decodable {
  struct Event: Decodable {
    var added: [InitializeParams.Folder]
    var removed: [InitializeParams.Folder]
  }
  var event: Event
}

struct WatchedFilesParams: Decodable {
  struct Change: Decodable { var uri: String }
  var changes: [Change]
}

/// The parameters that ask a client to notify the server when files change on disk.
struct RegistrationParams: Encodable {
  struct Registration: Encodable {
    struct Options: Encodable {
      struct Watcher: Encodable { var globPattern: String }
      var watchers: [Watcher]
    }
    var id: String
    var method: String
    var registerOptions: Options
  }
  var registrations: [Registration]
}

struct ShowMessageParams: Encodable {
  /// The protocol's number of the severity: 1 is an error, 2 a warning, 3 information.
  var type: Int
  var message: String
}
