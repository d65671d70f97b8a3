import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of a union.
struct UnionComparison: TypeComparer {
  let pair: TypePair
  let versions: VersionPair
  let relations: any TypeRelations
  var findings: [Finding] = []

  private mutating func compareCodes(_ first: UnionDefinition, _ second: UnionDefinition) {
    let (before, after) = (first.underlyingType, second.underlyingType)
    guard before != after else { return }
    // All existing codes fit in both types, so that only the width matters.
    let isAlike = before.size == after.size
    let range = second.declaration.typeRange
    report(
      .enumType, "the type codes of union `\(second.name)` were `\(before.schemaName)`, and are `\(after.schemaName)`",
      harm: isAlike
        ? "the codes that there are read the same"
        : "every stored type code of the union is read with another width, so that its values are lost or misread",
      advice: "put the type back", at: range ?? second.declaration.nameRange,
      was: first.declaration.typeRange ?? first.declaration.nameRange,
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
        let range = same.declaration.valueRange
        report(
          .unionMember, "the type code of `\(same.name)` was \(member.codeText), and is \(same.codeText)",
          harm: newByCode[member.code].map {
            "stored objects hold \(member.codeText), which now means `\($0.name)`: they are misread, or refused"
          } ?? "stored objects hold \(member.codeText), which is no member any more: their values are lost",
          advice: "put the code back; append new members at the end", at: range ?? same.declaration.nameRange,
          was: member.declaration.nameRange, "code \(member.codeText) here",
          fix: range.map { .init(title: "put the code back", range: $0, replacement: member.codeText) })
      } else {
        let taker = newByCode[member.code]
        report(
          .unionMember, "`\(member.name)` is gone from union `\(second.name)`",
          harm: taker.map { "stored objects hold \(member.codeText), which now means `\($0.name)`" }
            ?? "stored objects hold \(member.codeText), which is no member any more: their values are lost",
          advice: "keep it, even if nothing uses it", at: (taker?.declaration ?? second.declaration).nameRange,
          was: member.declaration.nameRange, "this member is gone")
      }
    }
  }

  /// Returns whether a member of NEW may be the member of OLD that had its code. It is not if either of two different names is
  /// in both versions.
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
    let range = same.declaration.typeRange ?? same.declaration.nameRange
    let oldRange = member.declaration.typeRange ?? member.declaration.nameRange
    switch relation {
    case .same:
      // A member without an alias has the name of its type. Renaming the type is a finding of
      // its own, and JSON has the name in the field of the type code.
      guard member.name != same.name else { return }
      guard isNamedApart(member, same) else {
        if let before = member.type.definition, let after = same.type.definition {
          reportRenamed(TypePair(old: before, new: after), breaksJSON: true)
        }
        return
      }
      report(
        .enumRenamed, "`\(member.name)` is called `\(same.name)`",
        harm: "stored data is safe; code that uses the old name stops building",
        advice: "rename it in the code as well", at: same.declaration.nameRange, was: member.declaration.nameRange,
        "the old name", breaksJSON: true)
    case .alike:
      report(
        .typeRenamed, "member \(same.codeText) is of another type, which is stored alike",
        harm: "data is safe; code that uses the old type stops building", advice: "change the code as well", at: range,
        was: oldRange, "the type was this")
      reportPrecautions(member.type.definition, same.type.definition, at: range, was: oldRange)
    case .kind, .different:
      report(
        .unionMember, "`\(same.name)`, member \(same.codeText), is of another type than `\(member.name)` was",
        harm: "stored values of the old type are misread, or refused",
        advice: "put the member back, and append a new one", at: range, was: oldRange, "the type was this")
    }
  }

  /// Returns whether either member has a name of its own rather than that of its type.
  private func isNamedApart(_ member: UnionDefinition.Member, _ same: UnionDefinition.Member) -> Bool {
    func isApart(_ member: UnionDefinition.Member, _ schema: Schema) -> Bool {
      guard let type = member.type.definition else { return true }
      let name = schema.name(of: type)
      return member.name != name.name && member.name != (name.namespace + [name.name]).joined(separator: "_")
    }
    return isApart(member, old.schema) || isApart(same, new.schema)
  }
}
