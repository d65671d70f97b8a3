/// The list of all emitters. A new one is a line here.
public enum EmitterRegistry {
  /// Every emitter, in the order in which their files are written.
  public static let all: [any Emitter] = [
    AccessorsEmitter(),
    DataModelEmitter(),
    MutatingEmitter(),
    QueryEmitter(),
    EditorsEmitter(),
    BinarySchemaEmitter(),
    SchemaJSONEmitter(),
    DiagramEmitter(),
    JSONSchemaEmitter(),
    HTMLEmitter(),
  ]

  /// The emitters that run when none is named.
  public static var defaults: [any Emitter] { all.filter(\.isDefault) }

  /// Returns the emitter called `name`; nil if there is none.
  public static func emitter(named name: String) -> (any Emitter)? {
    all.first { $0.name == name }
  }
}
