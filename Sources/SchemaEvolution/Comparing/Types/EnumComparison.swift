import FBSParser
import FBSSchema

/// Compares two versions of an enum.
struct EnumComparison: TypeComparer {
  let pair: TypePair
  let versions: VersionPair
  let relations: any TypeRelations
  var findings: [Finding] = []

  mutating func compare(_ first: EnumDefinition, _ second: EnumDefinition) {
    guard compareNumbers(first, second) else { return }
    let newByName = Dictionary(second.names.map { ($0.name, $0) }) { first, _ in first }
    let newByNumber = Dictionary(grouping: second.names, by: \.number)
    let oldNumbers = Dictionary(first.names.map { ($0.name, $0.number) }) { first, _ in first }
    var newNames = Set(newByName.keys).subtracting(oldNumbers.keys)
    for value in first.names {
      let takers = newByNumber[value.number] ?? []
      if let same = newByName[value.name] {
        if same.number != value.number { reportMove(value, same, first, second) }
      } else if let same = takers.first(where: { newNames.contains($0.name) }) {
        // Each new name stands for one old name.
        newNames.remove(same.name)
        reportRenaming(of: value, to: same)
      } else if let same = takers.first(where: { (oldNumbers[$0.name] ?? value.number) == value.number }) {
        reportRemoval(of: value, beside: same)
      } else {
        reportRemoval(value, takers.first, first, second)
      }
    }
    compareCases(first, second)
  }

  /// Reports each value that was the case of its number, and has become an alias of another one.
  private mutating func compareCases(_ first: EnumDefinition, _ second: EnumDefinition) {
    // All names of a set of bits are static properties. A binary schema lists the names of a number in alphabetical
    // order, so that it does not tell which came first in the text.
    guard !second.aliases.isEmpty, !second.isBitFlags, !old.isBinary, !new.isBinary else { return }
    let cases = Dictionary(second.values.map { ($0.number, $0) }) { first, _ in first }
    let oldCases = Dictionary(first.values.map { ($0.name, $0) }) { first, _ in first }
    for alias in second.aliases {
      guard let value = oldCases[alias.name], value.number == alias.number, let other = cases[alias.number] else {
        continue
      }
      report(
        .enumRenamed, "`\(alias.name)` is an alias of `\(other.name)`",
        harm: "stored data is safe; a `switch` over all cases stops building, since `\(other.name)` is the case",
        advice: "move `\(alias.name)` before `\(other.name)`", at: alias.declaration.nameRange,
        was: value.declaration.nameRange, "it was the first of its number")
    }
  }

  private mutating func reportRenaming(of value: EnumDefinition.Value, to same: EnumDefinition.Value) {
    report(
      .enumRenamed, "`\(value.name)` is called `\(same.name)`",
      harm: "stored data is safe; code that uses the old name stops building",
      advice: "rename it in the code as well", at: same.declaration.nameRange, was: value.declaration.nameRange,
      "the old name",
      fix: .init(title: "put the old name back", range: same.declaration.nameRange, replacement: value.name),
      breaksJSON: true)
  }

  /// Reports that one of several names of a number is gone.
  private mutating func reportRemoval(of value: EnumDefinition.Value, beside same: EnumDefinition.Value) {
    report(
      .enumRenamed, "`\(value.name)` is gone; its number is that of `\(same.name)`",
      harm: "stored data is safe; code that uses the name that is gone stops building",
      advice: "use the other name in the code", at: same.declaration.nameRange, was: value.declaration.nameRange,
      "the name that is gone", breaksJSON: true)
  }

  /// Reports numbers that changed their type or meaning as a whole.
  /// - Returns: False if the numbers of the two versions cannot be compared.
  private mutating func compareNumbers(_ first: EnumDefinition, _ second: EnumDefinition) -> Bool {
    if first.underlyingType != second.underlyingType {
      let (before, after) = (first.underlyingType.schemaName, second.underlyingType.schemaName)
      // If both types have one width, numbers that both can hold have the same bytes.
      let isAlike =
        first.underlyingType.size == second.underlyingType.size
        && (first.values + second.values).allSatisfy { $0.number >= 0 }
      let range = second.declaration.typeRange
      report(
        .enumType, "the numbers of `\(second.name)` were `\(before)`, and are `\(after)`",
        harm: isAlike
          ? "the values that there are read the same; code that uses their numbers may not"
          : "every stored value of the enum is read with another width or sign",
        advice: "put the type back",
        at: range ?? second.declaration.nameRange,
        was: first.declaration.typeRange ?? first.declaration.nameRange, "the type was this",
        severity: isAlike ? .warning : nil, evidence: isAlike ? .precaution : nil,
        fix: range.map { .init(title: "put the type back", range: $0, replacement: before) })
    }
    guard first.isBitFlags != second.isBitFlags, !versions.isUnknown("bit_flags") else { return true }
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
    let range = same.declaration.valueRange
    let (before, after) = (number(value, first), number(same, second))
    report(
      .enumValue, "`\(same.name)` was \(before), and is \(after)",
      harm: "stored objects hold \(before), which now means another value or none",
      advice: "put the number back; append new values at the end", at: range ?? same.declaration.nameRange,
      was: value.declaration.valueRange ?? value.declaration.nameRange, "\(before) here",
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
}
