import FBSDiagnostics
import FBSParser
import FBSSchema

/// Reports what an older version of the app drops from objects that NEW stores. A change request starts from the object
/// as its version reads it, and stores the whole object anew: fields, enum values and union members that the older
/// version does not know are not written back.
struct AdditionComparison: ComparisonStage {
  let versions: VersionPair
  let matching: TypeMatching
  var findings: [Finding] = []

  /// The types that both versions read in stored objects, and the fields of NEW that hold additions.
  private struct Reach {
    private(set) var pairs: [TypePair] = []
    private var known: Set<TypePair> = []
    /// The fields of NEW that hold an enum or union, for each that has additions.
    private(set) var holders: [TypePair: [Diagnostic.Label]] = [:]

    /// Adds a pair.
    /// - Returns: whether the pair is new.
    mutating func add(_ pair: TypePair) -> Bool {
      guard known.insert(pair).inserted else { return false }
      pairs.append(pair)
      return true
    }

    mutating func expectAdditions(of pair: TypePair) { holders[pair] = [] }

    mutating func add(holder: Declaration, _ text: @autoclosure () -> String, of pair: TypePair) {
      guard holders[pair] != nil else { return }
      holders[pair]?.append(.init(holder.nameRange, text()))
    }
  }

  /// Reports the additions that stored objects may have.
  /// - Parameter roots: the root tables that have no new version.
  mutating func compare(_ roots: [RootPair]) {
    var reach = Reach()
    // Without a primary key no store holds a table, and under another name each version has objects of its own.
    let stored = roots.filter { root in
      let (first, second) = (old.schema[root.old], new.schema[root.new])
      return !first.primaryKey.isEmpty && !second.primaryKey.isEmpty
        && versions.storeName(first) == versions.storeName(second)
    }
    for root in stored { _ = reach.add(root.types) }
    var next = 0
    while next < reach.pairs.count {
      let pair = reach.pairs[next]
      next += 1
      switch (pair.old, pair.new) {
      case (.table(let first), .table(let second)): follow(old.schema[first], new.schema[second], &reach)
      case (.structure(let first), .structure(let second)): follow(old.schema[first], new.schema[second], &reach)
      case (.union(let first), .union(let second)): follow(old.schema[first], new.schema[second], &reach)
      default: break
      }
    }
    for pair in reach.pairs {
      switch (pair.old, pair.new) {
      case (.table(let first), .table(let second)):
        reportAdditions(to: old.schema[first], second: new.schema[second])
      case (.enumeration(let first), .enumeration(let second)):
        guard let holders = reach.holders[pair] else { continue }
        reportAdditions(to: old.schema[first], second: new.schema[second], holders)
      case (.union(let first), .union(let second)):
        guard let holders = reach.holders[pair] else { continue }
        reportAdditions(to: old.schema[first], second: new.schema[second], holders)
      default: break
      }
    }
  }

  // MARK: References from the roots

  /// Adds the types that a field refers to in both versions to `reach`, and returns them as a pair. Returns nil if it
  /// refers to none, or a finding says that they are misread.
  private func successor(of first: DefinitionID?, _ second: DefinitionID?, _ reach: inout Reach) -> TypePair? {
    guard let first, let second, first.kind == second.kind else { return nil }
    let pair = TypePair(old: first, new: second)
    guard matching.newOf[first] == second || matching.isKnownAsAlike(pair) else { return nil }
    if reach.add(pair), hasAdditions(pair) { reach.expectAdditions(of: pair) }
    return pair
  }

  private func hasAdditions(_ pair: TypePair) -> Bool {
    switch (pair.old, pair.new) {
    case (.enumeration(let first), .enumeration(let second)):
      !old.schema[first].additions(in: new.schema[second]).isEmpty
    case (.union(let first), .union(let second)): !old.schema[first].additions(in: new.schema[second]).isEmpty
    default: false
    }
  }

  private func follow(_ first: TableDefinition, _ second: TableDefinition, _ reach: inout Reach) {
    // The usual case: fields were only appended.
    let isAligned = zip(first.fields, second.fields).allSatisfy { $0.id == $1.id }
    let byID = isAligned ? [:] : Dictionary(first.fields.map { ($0.id, $0) }) { first, _ in first }
    for (place, field) in second.fields.enumerated() where !field.isDeprecated {
      let former = isAligned ? (place < first.fields.count ? first.fields[place] : nil) : byID[field.id]
      guard let was = former, !was.isDeprecated, was.type.form == field.type.form,
        let pair = successor(of: was.type.definition, field.type.definition, &reach)
      else { continue }
      reach.add(
        holder: field.declaration, "`\(second.name.name).\(field.name)`: \(fate(in: field, was))", of: pair)
    }
  }

  private func follow(_ first: StructDefinition, _ second: StructDefinition, _ reach: inout Reach) {
    for (was, field) in zip(first.fields, second.fields) where was.type.form == field.type.form {
      guard let pair = successor(of: was.type.definition, field.type.definition, &reach) else { continue }
      reach.add(
        holder: field.declaration,
        "`\(second.name.name).\(field.name)`: an older version stores \(standIn(for: was.type.definition)) instead",
        of: pair)
    }
  }

  private func follow(_ first: UnionDefinition, _ second: UnionDefinition, _ reach: inout Reach) {
    let newByCode = Dictionary(second.members.map { ($0.code, $0) }) { first, _ in first }
    for member in first.members {
      guard let same = newByCode[member.code] else { continue }
      _ = successor(of: member.type.definition, same.type.definition, &reach)
    }
  }

  // MARK: What older versions store instead

  /// Returns in words what an older version stores in place of a value that it does not know.
  /// - Parameter was: the field as the older version has it.
  private func fate(in field: FieldDefinition, _ was: FieldDefinition) -> String {
    switch was.type {
    case .union:
      was.presence == .required
        ? "an older version stores nothing instead, though it is required"
        : "an older version stores nothing instead"
    case .vector(of: .union): "an older version leaves such elements out"
    case .enumeration(let id):
      if case .defaulted(let value) = was.presence {
        fate(in: field, old.schema[id].caseName(of: value))
      } else {
        "an older version stores nothing instead"
      }
    default: "an older version stores \(standIn(for: was.type.definition)) instead"
    }
  }

  /// Returns in words what an older version stores in place of an enum's value that it does not know, if that is
  /// `name`.
  private func fate(in field: FieldDefinition, _ name: String) -> String {
    if field.isPrimary { return "an older version stores the object under the key \(name), or fails if that is taken" }
    if field.indexes.contains(where: \.isUnique) {
      return "an older version stores \(name) instead, or fails if another object has that"
    }
    return "an older version stores \(name) instead"
  }

  /// Returns the value as which an older version reads an unknown value where the field has no default: in vectors and
  /// structs.
  private func standIn(for id: DefinitionID?) -> String {
    guard case .enumeration(let id)? = id else { return "another value" }
    return old.schema[id].caseName(of: .integer(0))
  }

  // MARK: Findings

  private mutating func reportAdditions(to first: TableDefinition, second: TableDefinition) {
    let added = first.additions(in: second)
    reportAdditions(
      .fieldAdded, added.map { ($0.name, $0.declaration) }, "`\(second.name)`", was: first.declaration,
      harm: "an older version that changes an object stores it without \(added.count == 1 ? "it" : "them")")
  }

  private mutating func reportAdditions(
    to first: EnumDefinition, second: EnumDefinition, _ holders: [Diagnostic.Label]
  ) {
    reportAdditions(
      .enumValueAdded, first.additions(in: second).map { ($0.name, $0.declaration) }, "enum `\(second.name)`",
      was: first.declaration, harm: "an older version that changes an object stores another value, or none, instead",
      holders)
  }

  private mutating func reportAdditions(
    to first: UnionDefinition, second: UnionDefinition, _ holders: [Diagnostic.Label]
  ) {
    reportAdditions(
      .unionMemberAdded, first.additions(in: second).map { ($0.name, $0.declaration) }, "union `\(second.name)`",
      was: first.declaration, harm: "an older version that changes an object drops such values", holders)
  }

  /// Reports all additions of a type in one finding, at the first of them.
  private mutating func reportAdditions(
    _ rule: EvolutionRule, _ added: [(name: String, declaration: Declaration)], _ owner: String, was: Declaration,
    harm: String, _ holders: [Diagnostic.Label] = []
  ) {
    guard let place = added.first?.declaration.nameRange else { return }
    let names = added.map { "`\($0.name)`" }
    let (list, verb, pronoun) =
      names.count == 1
      ? (names[0], "is", "it")
      : (names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1], "are", "them")
    report(
      rule, "\(list) \(verb) new in \(owner)", harm: harm,
      advice: "if older versions still write the file, first release one that knows \(pronoun) but stores none",
      at: place, was: was.nameRange, "older versions have this")
    // Two types of OLD may have become one table, whose fields are then visited twice.
    var seen: Set<SourceRange> = []
    findings[findings.count - 1].labels =
      added.dropFirst().map { .init($0.declaration.nameRange, "new, too") }
      + holders.sorted { $0.range < $1.range }.filter { seen.insert($0.range).inserted }
  }
}

// A name that both versions have is no addition: with another number, it was moved, which is a finding of its own.

extension TableDefinition {
  /// Returns the fields of a newer version that this one has no slot for.
  fileprivate func additions(in newer: TableDefinition) -> [FieldDefinition] {
    let added = newer.fields.filter {
      // A new required field is an error already.
      $0.id - ($0.type.takesTwoSlots ? 1 : 0) >= slotCount && !$0.isDeprecated && $0.presence != .required
    }
    guard !added.isEmpty else { return [] }
    let names = Set(fields.map(\.name))
    return added.filter { !names.contains($0.name) }
  }
}

extension EnumDefinition {
  /// Returns the values of a newer version that this one does not know. A set of bits has none, since it keeps unknown bits.
  fileprivate func additions(in newer: EnumDefinition) -> [Value] {
    guard !isBitFlags, !newer.isBitFlags, underlyingType == newer.underlyingType else { return [] }
    let numbers = Set(values.map(\.number))
    let names = Set(self.names.map(\.name))
    return newer.values.filter { !numbers.contains($0.number) && !names.contains($0.name) }
  }

  /// Returns the name of the value with this number, or else of the value that replaces it: the one with number 0, or the
  /// first.
  fileprivate func caseName(of number: ScalarValue) -> String {
    let bits: Int64? =
      switch number {
      case .integer(let integer): integer
      case .unsigned(let unsigned): Int64(bitPattern: unsigned)
      case .bool, .real: nil
      }
    let value =
      values.first { $0.number == bits } ?? values.first { $0.number == 0 } ?? values.first
    return value.map { "`\($0.name)`" } ?? "another value"
  }
}

extension UnionDefinition {
  /// Returns the members of a newer version whose type code and name are both unknown to this version, which therefore
  /// reads them as absent. A member that was only renumbered or renamed is not among them.
  fileprivate func additions(in newer: UnionDefinition) -> [Member] {
    let codes = Set(members.map(\.code))
    let names = Set(members.map(\.name))
    return newer.members.filter { !codes.contains($0.code) && !names.contains($0.name) }
  }
}
