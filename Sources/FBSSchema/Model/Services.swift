/// A service: remote methods. No emitter of this package uses it; plug-ins may.
public struct ServiceDefinition: Sendable {
  /// A method of a service.
  public struct Method: Sendable {
    /// The name of the method.
    public let name: String
    /// The request table.
    public let request: TableID
    /// The response table.
    public let response: TableID
    /// Documentation, attributes (such as `streaming` and `idempotent`) and ranges.
    public let declaration: Declaration

    /// Creates a method.
    public init(name: String, request: TableID, response: TableID, declaration: Declaration) {
      self.name = name
      self.request = request
      self.response = response
      self.declaration = declaration
    }
  }

  /// The name of the service.
  public let name: QualifiedName
  /// The methods, in the order of the text.
  public let methods: [Method]
  /// Documentation, attributes and ranges.
  public let declaration: Declaration

  /// Creates a service.
  public init(name: QualifiedName, methods: [Method], declaration: Declaration) {
    self.name = name
    self.methods = methods
    self.declaration = declaration
  }
}
