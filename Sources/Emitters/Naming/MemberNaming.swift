import FBSDiagnostics
import FBSParser
import FBSSchema

/// Names the fields of a schema's tables and structs, and the values of its enums and unions, in Swift.
///
/// A name in Swift's convention stays as it is if it is free. If several members get the same name, the member that is
/// spelled so in the schema has it; otherwise the first one.
struct MemberNaming {
  /// A member that is being named.
  private struct Member {
    let name: String
    /// The name in Swift's convention.
    let swiftName: String
    let declaration: Declaration
    /// Whether the data model wraps the property.
    var isWrapped = false
    /// Whether the member is a union, or a vector of unions, which has a type code beside it.
    var isUnion = false

    /// Returns the further names that generated code derives from a name for the member.
    func namesBeside(_ swiftName: String) -> [String] {
      guard isWrapped || isUnion else { return [] }
      // A wrapped property has another one for its wrapper. The function that writes a table takes a union's type
      // beside its value.
      return (storage(swiftName).map { [$0] } ?? [])
        + (isUnion ? [Namer.name(of: "type", beside: swiftName)] : [])
    }

    /// Returns the name of the wrapper's storage; nil if the property has no wrapper.
    func storage(_ swiftName: String) -> String? { isWrapped ? "_" + swiftName : nil }
  }

  fileprivate let schema: Schema
  fileprivate let types: TypeNaming
  private let recursion: Recursion
  fileprivate let output: SwiftOutput
  fileprivate let roots: Set<TableID>
  private let reserved: ReservedMembers
  private let hasMappings: Bool

  /// The names that differ from the schema's name in Swift's convention, by the members' declarations.
  private(set) var names: [SourceRange: String] = [:]
  private(set) var renamed: [RenamedInSwift] = []
  private(set) var errors: [Diagnostic] = []

  init(
    _ schema: Schema, types: TypeNaming, recursion: Recursion, output: SwiftOutput, roots: Set<TableID>,
    imported: ImportedTypeNames, of extent: SwiftNaming.Extent
  ) {
    self.roots = roots
    self.schema = schema
    self.types = types
    self.recursion = recursion
    self.output = output
    reserved = ReservedMembers(output, imported: imported)
    hasMappings = schema.hasMappings
    for file in schema.files {
      let isReported = file.isInput || extent == .everything
      for definition in file.definitions where isReported || schema.setsNames(ofMembersOf: definition) {
        nameMembers(of: definition, isInput: file.isInput)
      }
    }
  }

  private mutating func nameMembers(of definition: DefinitionID, isInput: Bool) {
    let spelled = spelledParts(by: definition)
    // Mostly, all names are free.
    if haveAllTheirNames(definition, spelled) { return }
    let kind: String
    let members: [Member]
    switch definition {
    case .enumeration(let id):
      kind = "value"
      members = schema[id].names.map {
        Member(name: $0.name, swiftName: Namer.caseName($0.name), declaration: $0.declaration)
      }
    case .union(let id):
      kind = "member"
      members = schema[id].members.map {
        Member(name: $0.name, swiftName: Namer.caseName($0.name), declaration: $0.declaration)
      }
    case .structure(let id):
      kind = "field"
      members = schema[id].fields.map { member($0) }
    case .table(let id):
      kind = "field"
      members = schema[id].fields.lazy.filter { !$0.isDeprecated }.map { member($0, of: id) }
    }
    let reserved = reservedNames(of: definition)
    var reservedForStorage = reserved
    if case .table = definition { reservedForStorage = reserved.ofTypes }
    var scope = MemberScope(
      reserved: reserved, reservedForStorage: reservedForStorage, spelled: spelled, output: output)
    name(members, kind, in: &scope, isInput)
  }

  /// Returns whether all members of a definition keep the schema's names in Swift's convention. Loops over indexes,
  /// since a loop over the members would copy each of them.
  private func haveAllTheirNames(_ definition: DefinitionID, _ spelled: Set<String>) -> Bool {
    var names = FreeNames(reserved: reservedNames(of: definition), spelled: spelled, output: output)
    switch definition {
    case .enumeration(let id):
      let values = schema[id].names
      return values.indices.allSatisfy {
        !SwiftName.isChosen(by: values[$0].declaration) && names.take(Namer.caseName(values[$0].name))
      }
    case .union(let id):
      let members = schema[id].members
      return members.indices.allSatisfy {
        !SwiftName.isChosen(by: members[$0].declaration) && names.take(Namer.caseName(members[$0].name))
      }
    case .structure(let id):
      let fields = schema[id].fields
      return fields.indices.allSatisfy { index in
        if SwiftName.isChosen(by: fields[index].declaration) { return false }
        guard fields[index].isWrapped else { return names.take(Namer.fieldName(fields[index].name)) }
        let member = member(fields[index])
        return ([member.swiftName] + member.namesBeside(member.swiftName)).allSatisfy { names.take($0) }
      }
    case .table(let id):
      let fields = schema[id].fields
      return fields.indices.allSatisfy { index in
        if fields[index].isDeprecated { return true }
        guard !SwiftName.isChosen(by: fields[index].declaration) else { return false }
        if recursion.isIndirect(fields[index], of: id) || fields[index].type.isOrHasUnion
          || fields[index].isWrapped
        {
          let member = member(fields[index], of: id)
          return ([member.swiftName] + member.namesBeside(member.swiftName)).allSatisfy { names.take($0) }
        }
        return names.take(Namer.fieldName(fields[index].name))
      }
    }
  }

  private func member(_ field: FieldDefinition, of table: TableID) -> Member {
    var member = Member(name: field.name, swiftName: Namer.fieldName(field.name), declaration: field.declaration)
    member.isWrapped = output.hasModel && (recursion.isIndirect(field, of: table) || field.isWrapped)
    member.isUnion = field.type.isOrHasUnion
    return member
  }

  private func member(_ field: StructDefinition.Field) -> Member {
    var member = Member(name: field.name, swiftName: Namer.fieldName(field.name), declaration: field.declaration)
    member.isWrapped = output.hasModel && field.isWrapped
    return member
  }

  private mutating func name(_ members: [Member], _ kind: String, in scope: inout MemberScope, _ isInput: Bool) {
    var unchosen: [Member] = []
    for member in members where !choose(member, kind, in: &scope) { unchosen.append(member) }
    var others: [Member] = []
    for member in unchosen {
      // A member that is spelled so in the schema takes precedence over those that only become it.
      if member.name != member.swiftName || !take(member.swiftName, for: member, in: &scope) { others.append(member) }
    }
    var rule = GivingWay()
    for member in others where !take(member.swiftName, for: member, in: &scope) {
      let obstacle = obstacle(member.swiftName, for: member, in: scope)
      let name = rule.first(member.swiftName) { self.obstacle($0, for: member, in: scope) == nil }
      _ = take(name, for: member, in: &scope)
      names[member.declaration.nameRange] = name
      guard let obstacle, isInput, name != member.name else { continue }
      renamed.append(
        RenamedInSwift(
          kind: kind, name: member.name, swiftName: name, wanted: obstacle.name, range: member.declaration.nameRange,
          obstacle: obstacle.reason, isChoosable: true))
    }
  }

  /// Gives a member the name of its `swift_name`.
  ///
  /// - Returns: false if the member has no `swift_name`.
  private mutating func choose(_ member: Member, _ kind: String, in scope: inout MemberScope) -> Bool {
    guard let chosen = SwiftName.chosen(by: member.declaration) else { return false }
    guard SwiftName.isIdentifier(chosen.text) else {
      errors.append(.notAnIdentifier(chosen.text, at: chosen.range))
      return false
    }
    if let (name, reason) = obstacle(chosen.text, for: member, in: scope) {
      errors.append(.wrongSwiftName(name, at: chosen.range, of: kind, reason))
    }
    scope.take([chosen.text] + member.namesBeside(chosen.text), for: member.declaration.nameRange)
    names[member.declaration.nameRange] = chosen.text
    return true
  }

  /// Gives a member a name, if that is free. Returns whether the name was free.
  private func take(_ name: String, for member: Member, in scope: inout MemberScope) -> Bool {
    guard obstacle(name, for: member, in: scope) == nil else { return false }
    scope.take([name] + member.namesBeside(name), for: member.declaration.nameRange)
    return true
  }

  /// Returns the first name that is not free, with the reason, if a member were to have a name and the names beside it;
  /// nil if all are free.
  private func obstacle(
    _ name: String, for member: Member, in scope: MemberScope
  ) -> (name: String, reason: NameObstacle)? {
    scope.obstacle([name] + member.namesBeside(name), storage: member.storage(name))
  }

  /// Returns the names that no member of a definition can have.
  private func reservedNames(of definition: DefinitionID) -> ReservedNames {
    // Names depend on what else is compiled only in a class that is a namespace: the types within see its members.
    let isMapped = hasMappings && (types.isNamespace(definition) || schema.hasMappings(in: definition))
    let names = reserved.of(definition, hasMappings: isMapped)
    // The query field of such a name would redeclare the static property with the root table's version.
    guard case .table(let id) = definition, output.hasModel, roots.contains(id), schema[id].version != nil else {
      return names
    }
    return names.adding(ReservedMembers.schemaVersion)
  }

  /// Returns the first parts of the names that occur in expressions among the members. A union's code spells the types
  /// of its members only where a type must follow.
  private func spelledParts(by definition: DefinitionID) -> Set<String> {
    let parts = types.firstParts(usedBy: definition).union(declaredNames(of: definition))
    guard case .union = definition else { return parts }
    let models = ([definition] + schema.contents(of: definition)).filter { schema.name(of: $0).namespace.isEmpty }
    return parts.subtracting(models.map { types.name(of: $0) })
  }
}

extension MemberNaming {
  /// Returns the names of a definition's own types as code within them spells them: as declared, without the namespace.
  fileprivate func declaredNames(of definition: DefinitionID) -> [String] {
    let suffixes: [String]
    switch definition {
    case .enumeration(let id):
      suffixes = [Namer.Suffix.value] + (output.hasModel && schema[id].isBitFlags ? [""] : [])
    case .structure(let id):
      let hasKey = schema[id].fields.contains { $0.declaration.has("key") }
      suffixes =
        (hasKey ? [Namer.Suffix.reader] : []) + (hasKey || output.hasEditors ? [Namer.Suffix.value] : [])
    case .table(let id):
      let hasKey = schema[id].fields.contains { $0.declaration.has("key") }
      suffixes =
        (hasKey ? [Namer.Suffix.reader] : [])
        + (output.hasModel && roots.contains(id) ? [Namer.Suffix.builder, Namer.Suffix.changeRequest] : [])
    case .union: suffixes = []
    }
    return suffixes.map { types.name(of: definition) + $0 }
  }
}

extension Schema {
  /// Returns whether any member of a definition has the attribute `swift_name`. Loops over indexes, since a loop over
  /// the members would copy each of them.
  fileprivate func setsNames(ofMembersOf definition: DefinitionID) -> Bool {
    switch definition {
    case .enumeration(let id):
      let values = self[id].names
      return values.indices.contains { SwiftName.isChosen(by: values[$0].declaration) }
    case .union(let id):
      let members = self[id].members
      return members.indices.contains { SwiftName.isChosen(by: members[$0].declaration) }
    case .structure(let id):
      let fields = self[id].fields
      return fields.indices.contains { SwiftName.isChosen(by: fields[$0].declaration) }
    case .table(let id):
      let fields = self[id].fields
      return fields.indices.contains { SwiftName.isChosen(by: fields[$0].declaration) }
    }
  }
}

/// The names of one definition's members.
private struct MemberScope {
  /// Names that no member can have.
  let reserved: ReservedNames
  /// Names that the storage of a property with a wrapper cannot have. A table's storage is in a struct without the reserved
  /// members.
  let reservedForStorage: ReservedNames
  /// Types and namespaces that code beside the members spells.
  let spelled: Set<String>
  let output: SwiftOutput
  private var owners: [String: SourceRange] = [:]

  init(reserved: ReservedNames, reservedForStorage: ReservedNames, spelled: Set<String>, output: SwiftOutput) {
    self.reserved = reserved
    self.reservedForStorage = reservedForStorage
    self.spelled = spelled
    self.output = output
  }

  mutating func take(_ names: [String], for range: SourceRange) {
    for name in names { owners[name] = range }
  }

  /// Returns the first of `names` that is not free, with the reason; nil if all are free. `storage` is the one
  /// among them that a wrapper's storage would have.
  func obstacle(_ names: [String], storage: String?) -> (name: String, reason: NameObstacle)? {
    for name in names {
      if let reason = reason(name, name == storage ? reservedForStorage : reserved) { return (name, reason) }
      if let owner = owners[name] { return (name, .taken(by: owner)) }
    }
    return nil
  }

  private func reason(_ name: String, _ reserved: ReservedNames) -> NameObstacle? {
    NameObstacle(name, reserved: reserved, spelled: spelled, output)
  }
}
