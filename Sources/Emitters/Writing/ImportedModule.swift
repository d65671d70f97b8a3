import FBSSchema

/// A module that generated files import. They use its types in public declarations, so that the import is public.
///
/// A file imports only the modules that its definitions need. Where imports are not public by default, Swift warns of a public
/// import that no public declaration uses.
struct ImportedModule {
  /// The name of the module.
  let name: String
  /// Whether a file that has this definition needs the module.
  let isNeeded: (DefinitionID) -> Bool
  /// Whether the code generated for this definition has types of the module in signatures. Conformances to its
  /// protocols do not count: Swift only counts the signature of a `package` declaration as a use of a `package import`.
  let isInSignatures: (DefinitionID) -> Bool

  static func dflat(
    for isNeeded: @escaping (DefinitionID) -> Bool, inSignatures: @escaping (DefinitionID) -> Bool
  ) -> ImportedModule {
    ImportedModule(name: "Dflat", isNeeded: isNeeded, isInSignatures: inSignatures)
  }

  static func foundation(for isNeeded: @escaping (DefinitionID) -> Bool) -> ImportedModule {
    ImportedModule(name: "Foundation", isNeeded: isNeeded, isInSignatures: isNeeded)
  }

  static func flatBuffersCore(for isNeeded: @escaping (DefinitionID) -> Bool) -> ImportedModule {
    ImportedModule(name: "FlatBuffersCore", isNeeded: isNeeded) { !$0.isEnumeration && isNeeded($0) }
  }
}

extension DefinitionID {
  var isEnumeration: Bool { if case .enumeration = self { true } else { false } }
  var isStructure: Bool { if case .structure = self { true } else { false } }
  var isUnion: Bool { if case .union = self { true } else { false } }
}
