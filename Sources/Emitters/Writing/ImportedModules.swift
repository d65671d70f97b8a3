import FBSSchema

/// A module that generated files import, publicly: what is generated is public, and so has to be what it is made of.
///
/// A file imports what its definitions need, and no more. Swift warns of a public import that nothing public uses, in modules
/// whose imports are not public by default.
struct ImportedModule {
  let name: String
  /// Whether a file that has this definition needs the module.
  let isNeeded: (DefinitionID) -> Bool

  static func dflat(for isNeeded: @escaping (DefinitionID) -> Bool) -> ImportedModule {
    ImportedModule(name: "Dflat", isNeeded: isNeeded)
  }

  static func flatBuffersCore(for isNeeded: @escaping (DefinitionID) -> Bool) -> ImportedModule {
    ImportedModule(name: "FlatBuffersCore", isNeeded: isNeeded)
  }
}

extension DefinitionID {
  var isEnumeration: Bool { if case .enumeration = self { true } else { false } }
  var isStructure: Bool { if case .structure = self { true } else { false } }
  var isUnion: Bool { if case .union = self { true } else { false } }
}
