import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON

extension FilterReader {
  private enum Place {
    case table(TableID)
    case structure(StructID)
    case union(UnionID)
    case value
  }

  func resolve(_ names: [String], at range: SourceRange) throws(FilterMistake) -> (path: FieldPath, kind: Kind) {
    var place = Place.table(table)
    var steps: [FieldPath.Step] = []
    var kind = Kind.presence
    for name in names {
      switch place {
      case .table(let id):
        guard let index = layouts[id].member(named: name), !layouts[id].members[index].isDeprecated else {
          throw unknown(name, layouts[id].members.filter { !$0.isDeprecated }.map(\.name), layouts[id].name, range)
        }
        steps.append(.field(id, index))
        (place, kind) = describe(layouts[id].members[index].type)
      case .structure(let id):
        guard let index = layouts[id].members.firstIndex(where: { $0.name == name }) else {
          throw unknown(name, layouts[id].members.map(\.name), layouts[id].name, range)
        }
        steps.append(.inline(id, index))
        (place, kind) = describe(layouts[id].members[index].type)
      case .union(let id):
        let union = layouts.schema[id]
        guard let index = union.members.firstIndex(where: { $0.name == name }) else {
          throw unknown(name, union.members.map(\.name), union.name, range)
        }
        steps.append(.member(id, index))
        switch union.members[index].type {
        case .table(let id): (place, kind) = (.table(id), .presence)
        case .structure(let id): (place, kind) = (.structure(id), .presence)
        case .string: (place, kind) = (.value, .text)
        }
      case .value:
        throw FilterMistake(
          .unknownFilterName, "there is nothing in the field before `.\(name)`", at: range, advice: "remove `.\(name)`")
      }
    }
    return (FieldPath(steps), kind)
  }

  private func unknown(
    _ name: String, _ known: [String], _ owner: QualifiedName, _ range: SourceRange
  ) -> FilterMistake {
    let near = nearestName(to: name, in: known)
    return FilterMistake(
      .unknownFilterName, "`\(owner)` has no `\(name)`", at: range,
      advice: near.map { "did you mean `\($0)`?" } ?? "it has \(known.prefix(8).joined(separator: ", "))")
  }

  private func describe(_ type: MemberType) -> (Place, Kind) {
    switch type {
    case .number(let number): (.value, self.kind(number))
    case .string: (.value, .text)
    case .structure(let id): (.structure(id), .presence)
    case .table(let id): (.table(id), .presence)
    case .union(let id):
      (
        .union(id),
        .names(
          Dictionary(layouts.schema[id].members.map { ($0.name, $0.code) }, uniquingKeysWith: { first, _ in first }),
          of: layouts.schema[id].name.description)
      )
    case .vector, .nested, .flexible: (.value, .presence)
    }
  }

  private func describe(_ type: StructLayout.Member.MemberType) -> (Place, Kind) {
    switch type {
    case .number(let number): (.value, kind(number))
    case .structure(let id): (.structure(id), .presence)
    case .array: (.value, .presence)
    }
  }

  private func kind(_ number: NumberType) -> Kind {
    switch number.names {
    case .enumeration(let id):
      .names(
        Dictionary(layouts.schema[id].names.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first }),
        of: layouts.schema[id].name.description)
    case .union(let id):
      .names(
        Dictionary(layouts.schema[id].members.map { ($0.name, $0.code) }, uniquingKeysWith: { first, _ in first }),
        of: layouts.schema[id].name.description)
    case nil:
      if let mapping = number.mapping, mapping.isText {
        .mapped(mapping)
      } else {
        number.scalar == .bool ? .bool : .number
      }
    }
  }
}
