import FBSSchema

/// The fragments of links to the services on the page of one file.
struct ServiceAnchors {
  /// The names of the page's types; empty if it has no services.
  private let types: Set<QualifiedName>

  init(_ file: SchemaFile, in schema: Schema) {
    types = file.services.isEmpty ? [] : Set(file.definitions.map { schema.name(of: $0) })
  }

  /// Returns the fragment of a link to a service, the part after `#`. A type may have the service's name, and has the
  /// fragment of that name then. No name has a tilde, which links need not encode.
  func anchor(of service: QualifiedName) -> String {
    let anchor = HTMLText.anchor(service)
    return types.contains(service) ? anchor + "~service" : anchor
  }
}
