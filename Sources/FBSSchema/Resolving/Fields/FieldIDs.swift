import FBSDiagnostics
import FBSParser

/// Gives the fields of a table their ids: the written ones, or else in the order of the text.
struct FieldIDs {
  let scope: ResolutionScope
  /// The most slots. A vtable has 4 bytes and 2 more for each slot, and holds its own length, in bytes, as 16 bits.
  static let maximumSlots = 32_765

  /// Returns the id of each field, and the number of slots.
  /// - Parameter written: the number of the table's fields in the text, at least as many as in `fields`.
  func assignIDs(
    _ fields: [PendingField], ofWritten written: Int, _ definition: UnresolvedDefinition
  ) -> (ids: [Int], count: Int) {
    // By the index, since to copy a field counts references.
    var count = written - fields.count
    for place in fields.indices { count += fields[place].slots }
    let nameRange = scope.tree(definition.file).range(of: definition.nameToken)
    if count > Self.maximumSlots {
      scope.error(
        .tooLarge, "a table can have at most \(Self.maximumSlots) fields, and this one has \(count)", at: nameRange,
        advice: "move some to a table of their own", notes: ["a field of a union type counts twice"])
    }
    var ids: [Int] = []
    ids.reserveCapacity(fields.count)
    guard let first = fields.first(where: { $0.has("id") }) else {
      var next = 0
      for place in fields.indices {
        next += fields[place].slots
        ids.append(next - 1)
      }
      return (ids, count)
    }
    let without = fields.filter { !$0.has("id") }
    if let field = without.first {
      let more = without.count == 1 ? "" : " (nor have \(without.count - 1) others)"
      scope.error(
        .wrongIDs, "`\(scope.symbols.names.strings[field.name])` has no id\(more), and other fields have",
        at: field.declaration.nameRange,
        advice: "give every field an id, or none",
        labels: first.declaration.attribute("id").map { [.init($0.range, "the first id is here")] } ?? [])
      return (fields.indices.map { $0 }, count)
    }
    // With a field of an unknown type, how many slots there are is unknown, too.
    let isComplete = !fields.contains { $0.type == nil }
    var owners = [Int](repeating: -1, count: count)
    for (place, field) in fields.enumerated() {
      let id = explicitID(field, owners: &owners, place: place, fields, isComplete: isComplete)
      ids.append(id ?? place)
      if id == nil { owners = [] }
    }
    return (ids, count)
  }

  /// Returns the id that a field declares; nil if it declares none, or a wrong one, which is reported. Once an id was
  /// wrong, `owners` is empty, and only the form of ids is checked.
  private func explicitID(
    _ field: PendingField, owners: inout [Int], place: Int, _ fields: [PendingField], isComplete: Bool
  ) -> Int? {
    guard let attribute = field.declaration.attribute("id") else { return nil }
    let number: WholeNumber? =
      switch attribute.value {
      case .integer(let value): WholeNumber(value.magnitude, isNegative: value < 0)
      case .string(let text): WholeNumber.parse(quoted: text).number
      case nil: .zero
      }
    guard let number, number.fits(.uint16) else {
      scope.error(.wrongIDs, "an id is a whole number from 0", at: attribute.range, advice: "such as `id: 0`")
      return nil
    }
    let id = Int(number.magnitude)
    if field.slots == 2, id == 0 {
      scope.error(
        .wrongIDs, "a union takes two ids: the one before its own is its type's", at: attribute.range,
        advice: "`id: 1` is the first that it can have")
      return nil
    }
    guard isComplete, !owners.isEmpty else { return id }
    guard id < owners.count else {
      scope.error(
        .wrongIDs, "ids have no gaps: this table's are 0 to \(owners.count - 1)", at: attribute.range,
        advice: "use one of these", notes: ["a field of a union type takes two, its own and the one before"])
      return nil
    }
    for slot in (id - field.slots + 1)...id {
      if owners[slot] >= 0 {
        let other = fields[owners[slot]]
        scope.error(
          .wrongIDs, "id \(slot) is taken", at: attribute.range, advice: "use another",
          labels: other.declaration.attribute("id").map {
            [
              .init(
                $0.range,
                "by `\(scope.symbols.names.strings[other.name])`\(other.slots == 2 ? ", which takes two ids" : "")")
            ]
          } ?? [],
          notes: field.slots == 2 ? ["a field of a union type takes two, its own and the one before"] : [])
        return nil
      }
      owners[slot] = place
    }
    return id
  }
}
