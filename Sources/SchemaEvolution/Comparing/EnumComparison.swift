import FBSParser
import FBSSchema

extension Comparison {
  mutating func compare(_ first: EnumDefinition, _ second: EnumDefinition) {
    guard compareNumbers(first, second) else { return }
    let newByName = Dictionary(second.values.map { ($0.name, $0) }) { first, _ in first }
    let newByNumber = Dictionary(second.values.map { ($0.number, $0) }) { first, _ in first }
    let oldNames = Set(first.values.map(\.name))
    for value in first.values {
      if let same = newByName[value.name] {
        if same.number != value.number { reportMove(value, same, first, second) }
      } else if let same = newByNumber[value.number], !oldNames.contains(same.name) {
        report(
          .enumRenamed, "`\(value.name)` is called `\(same.name)`",
          harm: "stored data is safe; code that uses the old name stops building",
          advice: "rename it in the code as well", at: same.declaration.nameRange, was: value.declaration.nameRange,
          "the old name",
          fix: .init(title: "put the old name back", range: same.declaration.nameRange, replacement: value.name))
      } else {
        reportRemoval(value, newByNumber[value.number], first, second)
      }
    }
  }

  /// - Returns: Whether the numbers of the two mean the same.
  private mutating func compareNumbers(_ first: EnumDefinition, _ second: EnumDefinition) -> Bool {
    if first.underlyingType != second.underlyingType {
      let (before, after) = (first.underlyingType.schemaName, second.underlyingType.schemaName)
      // Of one width, numbers that both types hold are the same bytes.
      let isAlike =
        first.underlyingType.size == second.underlyingType.size
        && (first.values + second.values).allSatisfy { $0.number >= 0 }
      let range = newPlaces.underlyingType(of: second.declaration)
      report(
        .enumType, "the numbers of `\(second.name)` were `\(before)`, and are `\(after)`",
        harm: isAlike
          ? "the values that there are read the same; code that uses their numbers may not"
          : "every stored value of the enum is read with another width or sign",
        advice: "put the type back",
        at: range ?? second.declaration.nameRange,
        was: oldPlaces.underlyingType(of: first.declaration) ?? first.declaration.nameRange, "the type was this",
        severity: isAlike ? .warning : nil, evidence: isAlike ? .precaution : nil,
        fix: range.map { .init(title: "put the type back", range: $0, replacement: before) })
    }
    guard first.isBitFlags != second.isBitFlags else { return true }
    report(
      .enumType, "`bit_flags` was \(second.isBitFlags ? "added to" : "removed from") `\(second.name)`",
      harm: "numbers that are stored mean other values", advice: second.isBitFlags ? "remove it" : "put it back",
      at: second.declaration.attribute("bit_flags")?.range ?? second.declaration.nameRange,
      was: first.declaration.attribute("bit_flags")?.range ?? first.declaration.nameRange,
      second.isBitFlags ? "without it" : "it was here")
    return false
  }

  private mutating func reportMove(
    _ value: EnumDefinition.Value, _ same: EnumDefinition.Value, _ first: EnumDefinition, _ second: EnumDefinition
  ) {
    let range = newPlaces.number(of: same.declaration)
    let (before, after) = (number(value, first), number(same, second))
    report(
      .enumValue, "`\(same.name)` was \(before), and is \(after)",
      harm: "stored objects hold \(before), which now means another value or none",
      advice: "put the number back; append new values at the end", at: range ?? same.declaration.nameRange,
      was: oldPlaces.number(of: value.declaration) ?? value.declaration.nameRange, "\(before) here",
      fix: second.isBitFlags ? nil : range.map { .init(title: "put the number back", range: $0, replacement: before) })
  }

  private mutating func reportRemoval(
    _ value: EnumDefinition.Value, _ taker: EnumDefinition.Value?, _ first: EnumDefinition, _ second: EnumDefinition
  ) {
    let before = number(value, first)
    report(
      .enumValue, "`\(value.name)` is gone from `\(second.name)`",
      harm: taker.map { "stored objects hold \(before), which now means `\($0.name)`" }
        ?? "stored objects hold \(before), which is no value any more",
      advice: "keep it, even if nothing uses it", at: (taker?.declaration ?? second.declaration).nameRange,
      was: value.declaration.nameRange, "this value is gone")
  }

  private func number(_ value: EnumDefinition.Value, _ definition: EnumDefinition) -> String {
    definition.underlyingType == .uint64 ? String(UInt64(bitPattern: value.number)) : String(value.number)
  }

  // MARK: Unions

  private mutating func compareCodes(_ first: UnionDefinition, _ second: UnionDefinition) {
    let (before, after) = (first.underlyingType, second.underlyingType)
    guard before != after else { return }
    // Codes that are there fit in both types, so that only the width decides.
    let isAlike = before.size == after.size
    let range = newPlaces.underlyingType(of: second.declaration)
    report(
      .enumType, "the type codes of union `\(second.name)` were `\(before.schemaName)`, and are `\(after.schemaName)`",
      harm: isAlike
        ? "the codes that there are read the same"
        : "every stored type code of the union is read with another width, so that its values are lost or misread",
      advice: "put the type back", at: range ?? second.declaration.nameRange,
      was: oldPlaces.underlyingType(of: first.declaration) ?? first.declaration.nameRange,
      first.writtenType == nil ? "without a type, they are `ubyte`" : "the type was this",
      severity: isAlike ? .warning : nil, evidence: .precaution,
      fix: range.map { .init(title: "put the type back", range: $0, replacement: before.schemaName) })
  }

  mutating func compare(_ first: UnionDefinition, _ second: UnionDefinition) {
    compareCodes(first, second)
    let newByName = Dictionary(second.members.map { ($0.name, $0) }) { first, _ in first }
    let newByCode = Dictionary(second.members.map { ($0.code, $0) }) { first, _ in first }
    for member in first.members {
      if let same = newByCode[member.code], canBe(member, same, first, second, newByName) {
        compare(member, same)
      } else if let same = newByName[member.name], same.code != member.code {
        let range = newPlaces.parts(ofMember: same.declaration).code
        report(
          .unionMember, "the type code of `\(same.name)` was \(member.code), and is \(same.code)",
          harm: newByCode[member.code].map {
            "stored objects hold \(member.code), which now means `\($0.name)`: they are misread, or refused"
          } ?? "stored objects hold \(member.code), which is no member any more: their values are lost",
          advice: "put the code back; append new members at the end", at: range ?? same.declaration.nameRange,
          was: member.declaration.nameRange, "code \(member.code) here",
          fix: range.map { .init(title: "put the code back", range: $0, replacement: String(member.code)) })
      } else {
        let taker = newByCode[member.code]
        report(
          .unionMember, "`\(member.name)` is gone from union `\(second.name)`",
          harm: taker.map { "stored objects hold \(member.code), which now means `\($0.name)`" }
            ?? "stored objects hold \(member.code), which is no member any more: their values are lost",
          advice: "keep it, even if nothing uses it", at: (taker?.declaration ?? second.declaration).nameRange,
          was: member.declaration.nameRange, "this member is gone")
      }
    }
  }

  /// Whether the member that has the code now may be the one that had it. A name that moved to another code did not stay.
  private func canBe(
    _ member: UnionDefinition.Member, _ same: UnionDefinition.Member, _ first: UnionDefinition,
    _ second: UnionDefinition, _ newByName: [String: UnionDefinition.Member]
  ) -> Bool {
    if member.name == same.name { return true }
    if newByName[member.name] != nil { return false }
    return !first.members.contains { $0.name == same.name }
  }

  private mutating func compare(_ member: UnionDefinition.Member, _ same: UnionDefinition.Member) {
    let isSameForm: Bool
    switch (member.type, same.type) {
    case (.table, .table), (.structure, .structure), (.string, .string): isSameForm = true
    default: isSameForm = false
    }
    if !isSameForm, let before = member.type.definition, let after = same.type.definition { reportKind(before, after) }
    let relation = isSameForm ? relate(member.type.definition, same.type.definition) : .different
    let range = newPlaces.parts(ofMember: same.declaration).type ?? same.declaration.nameRange
    let oldRange = oldPlaces.parts(ofMember: member.declaration).type ?? member.declaration.nameRange
    switch relation {
    case .same:
      // Without an alias, the member is called as its type, which has its own finding.
      guard member.name != same.name, isNamedApart(member, same) else { return }
      report(
        .enumRenamed, "`\(member.name)` is called `\(same.name)`",
        harm: "stored data is safe; code that uses the old name stops building",
        advice: "rename it in the code as well", at: same.declaration.nameRange, was: member.declaration.nameRange,
        "the old name")
    case .alike:
      report(
        .typeRenamed, "member \(same.code) is of another type, which is stored alike",
        harm: "data is safe; code that uses the old type stops building", advice: "change the code as well", at: range,
        was: oldRange, "the type was this")
    case .kind, .different:
      report(
        .unionMember, "`\(same.name)`, member \(same.code), is of another type than `\(member.name)` was",
        harm: "stored values of the old type are misread, or refused",
        advice: "put the member back, and append a new one", at: range, was: oldRange, "the type was this")
    }
  }

  /// Whether either member has a name of its own rather than that of its type.
  private func isNamedApart(_ member: UnionDefinition.Member, _ same: UnionDefinition.Member) -> Bool {
    func isApart(_ member: UnionDefinition.Member, _ schema: Schema) -> Bool {
      guard let type = member.type.definition else { return true }
      let name = schema.name(of: type)
      return member.name != name.name && member.name != (name.namespace + [name.name]).joined(separator: "_")
    }
    return isApart(member, old.schema) || isApart(same, new.schema)
  }
}
