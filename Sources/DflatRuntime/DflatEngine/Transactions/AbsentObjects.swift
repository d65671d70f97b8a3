import Dflat
import FlatBuffersCore

/// The conditions for which a transaction has fetched all objects. An object for which one of them holds, and that was
/// not fetched, was not stored then.
struct AbsentObjects {
  private struct Condition {
    let type: ObjectIdentifier
    /// The predicate; nil if the condition holds for every object of the type.
    let predicate: QueryNode?
  }

  private var conditions: [Condition] = []
  /// The compiled predicates of the first conditions. They are compiled by a look-up, which is needed only after a
  /// commit of another process.
  private var programs: [QueryProgram] = []

  /// The most conditions that are kept: a look-up evaluates all of them.
  private static let limit = 1_000

  var isEmpty: Bool { conditions.isEmpty }

  /// Records that all objects of a type were fetched for which a predicate is true; nil is true for every object.
  mutating func append(_ predicate: QueryNode?, _ record: RecordDescription) {
    if conditions.count == AbsentObjects.limit {
      // Too many conditions: from now on, the transaction counts as having fetched all objects of these types.
      conditions = Set(conditions.map(\.type)).map { Condition(type: $0, predicate: nil) }
      programs = []
    }
    conditions.append(Condition(type: ObjectIdentifier(record), predicate: predicate))
  }

  /// Returns whether one of the conditions holds for an encoded object.
  mutating func contains(_ object: FlatBufferTable, _ record: RecordDescription) -> Bool {
    for condition in conditions[programs.count...] {
      programs.append(condition.predicate.map { QueryProgram($0) } ?? .accepting)
    }
    let type = ObjectIdentifier(record)
    return zip(conditions, programs).contains { condition, program in
      condition.type == type && program.matches(object)
    }
  }
}
