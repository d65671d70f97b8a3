import ConformanceSupport
import TestSupport

/// Edits of schemas: of each kind that a rule is about, and of those that are allowed.
extension SchemaModel {
  /// An edit. Nothing happens, and it says so, where the schema has nothing that it could change.
  struct Edit: Sendable {
    let name: String
    let apply: @Sendable (inout SchemaModel, inout SeededGenerator) -> Bool
  }

  /// Edits the schema once, or several times, and says how.
  mutating func edit(_ random: inout SeededGenerator, harmful: [Edit], allowed: [Edit]) -> [String] {
    var edits: [String] = []
    let count = random.once(in: 4) ? 2 + random.next(3) : 1
    let isHarmful = !random.once(in: 3)
    for index in 0..<count {
      let mayHarm = isHarmful && (index == 0 || random.once(in: 2))
      let edit = random.pick(mayHarm ? harmful : allowed)
      if edit.apply(&self, &random) { edits.append(edit.name) }
    }
    return edits
  }

  mutating func change(
    _ kind: Kind, _ random: inout SeededGenerator, minimum: Int = 1,
    _ body: (inout SchemaModel, Int, inout SeededGenerator) -> Bool
  ) -> Bool {
    let places = definitions.indices.filter { definitions[$0].kind == kind && definitions[$0].members.count >= minimum }
    guard !places.isEmpty else { return false }
    return body(&self, random.pick(places), &random)
  }

  /// Changes one field of a table.
  mutating func changeField(
    _ random: inout SeededGenerator, where condition: (Member, SchemaModel) -> Bool = { _, _ in true },
    _ body: (inout Member, inout SeededGenerator, SchemaModel) -> Void
  ) -> Bool {
    var choices: [(Int, Int)] = []
    for (place, definition) in definitions.enumerated() where definition.kind == .table {
      for (index, member) in definition.members.enumerated() where condition(member, self) {
        choices.append((place, index))
      }
    }
    guard !choices.isEmpty else { return false }
    let (place, index) = random.pick(choices)
    let model = self
    body(&definitions[place].members[index], &random, model)
    return true
  }

  static let harmful: [Edit] = [
    Edit(name: "remove a field") { model, random in
      model.change(.table, &random, minimum: 2) { model, place, random in
        model.definitions[place].members.remove(at: random.next(model.definitions[place].members.count))
        return true
      }
    },
    Edit(name: "insert a field") { model, random in
      model.change(.table, &random, minimum: 1) { model, place, random in
        let field = model.newField(&random)
        model.definitions[place].members.insert(field, at: random.next(model.definitions[place].members.count))
        return true
      }
    },
    Edit(name: "swap two fields") { model, random in
      model.change(.table, &random, minimum: 2) { model, place, random in
        let first = random.next(model.definitions[place].members.count - 1)
        model.definitions[place].members.swapAt(first, first + 1)
        return true
      }
    },
    Edit(name: "change a field's type") { model, random in
      model.changeField(&random) { member, random, model in
        var copy = model
        let other = copy.newField(&random)
        member.type = other.type
        (member.value, member.nested) = (other.value, other.nested)
        member.attributes = member.attributes.filter { $0 == "deprecated" }
      }
    },
    Edit(name: "change a scalar") { model, random in
      model.changeField(&random, where: { member, _ in if case .scalar = member.type { true } else { false } }) {
        member, random, _ in
        (member.type, member.nested) = (.scalar(random.pick(scalars)), nil)
        member.value = nil
      }
    },
    Edit(name: "change a default") { model, random in
      model.changeField(&random, where: { $1.isNumber($0) }) { member, random, model in
        if case .scalar(let word) = member.type {
          member.value = defaultValue(of: word, &random)
        } else if let place = member.type.definition.flatMap({ model.place($0) }) {
          member.value = random.pick(model.definitions[place].members).name
        }
      }
    },
    Edit(name: "make a number optional, or not") { model, random in
      model.changeField(&random, where: { $1.isNumber($0) }) { member, _, model in
        let place = member.type.definition.flatMap { model.place($0) }
        member.value = member.value == "null" ? place.flatMap { model.definitions[$0].members.first?.name } : "null"
      }
    },
    Edit(name: "nest a FlatBuffer, or not, or another") { model, random in
      let bytes: (Member, SchemaModel) -> Bool = { member, _ in
        if case .vector(.scalar("ubyte")) = member.type { !member.isDeprecated } else { false }
      }
      let tables = model.definitions.filter { $0.kind == .table }.map(\.id)
      guard !tables.isEmpty else { return false }
      return model.changeField(&random, where: bytes) { member, random, _ in
        member.nested = member.nested != nil && random.once(in: 2) ? nil : random.pick(tables)
      }
    },
    Edit(name: "require a table or union, or not") { model, random in
      var choices: [(Int, Int)] = []
      for (place, definition) in model.definitions.enumerated() where definition.kind == .table {
        for (index, member) in definition.members.enumerated() where !member.isVector && !member.isDeprecated {
          // Tables that must hold themselves never end.
          guard [.table, .union].contains(model.kind(member.type)),
            !model.leads(from: member.type.definition, to: definition.id)
          else { continue }
          choices.append((place, index))
        }
      }
      guard !choices.isEmpty else { return false }
      let (place, index) = random.pick(choices)
      let isRequired = model.definitions[place].members[index].attributes == ["required"]
      model.definitions[place].members[index].attributes = isRequired ? [] : ["required"]
      return true
    },
    Edit(name: "require a field, or not") { model, random in
      model.changeField(
        &random,
        where: { member, model in
          switch member.type {
          case .scalar, .array: false
          // Tables that must hold themselves never end.
          default: member.isVector || ![.enumeration, .table, .union].contains(model.kind(member.type))
          }
        }
      ) { member, random, _ in
        member.attributes = member.attributes == ["required"] ? [] : ["required"]
      }
    },
    Edit(name: "take `deprecated` back") { model, random in
      model.changeField(&random, where: { member, _ in member.isDeprecated }) { member, _, _ in member.attributes = [] }
    },
    Edit(name: "reuse a deprecated field") { model, random in
      let name = model.fresh("f")
      return model.changeField(&random, where: { member, _ in member.isDeprecated }) { member, random, model in
        member.attributes = []
        member.name = name
      }
    },
    Edit(name: "add to a struct") { model, random in
      model.change(.structure, &random) { model, place, random in
        let member = Member(name: model.fresh("s"), type: model.structType(before: place, &random))
        model.definitions[place].members.insert(
          member, at: random.next(model.definitions[place].members.count + 1))
        return true
      }
    },
    Edit(name: "remove from a struct") { model, random in
      model.change(.structure, &random, minimum: 2) { model, place, random in
        model.definitions[place].members.remove(at: random.next(model.definitions[place].members.count))
        return true
      }
    },
    Edit(name: "swap in a struct") { model, random in
      model.change(.structure, &random, minimum: 2) { model, place, random in
        let first = random.next(model.definitions[place].members.count - 1)
        model.definitions[place].members.swapAt(first, first + 1)
        return true
      }
    },
    Edit(name: "retype in a struct") { model, random in
      model.change(.structure, &random) { model, place, random in
        let index = random.next(model.definitions[place].members.count)
        model.definitions[place].members[index].type = model.structType(before: place, &random)
        return true
      }
    },
    Edit(name: "align a struct") { model, random in
      model.change(.structure, &random) { model, place, random in
        model.definitions[place].attributes = ["force_align: \(random.pick([8, 16]))"]
        return true
      }
    },
    Edit(name: "remove an enum value") { model, random in
      model.change(.enumeration, &random, minimum: 2) { model, place, random in
        model.definitions[place].members.remove(at: random.next(model.definitions[place].members.count))
        return true
      }
    },
    Edit(name: "insert an enum value") { model, random in
      model.change(.enumeration, &random) { model, place, random in
        for index in model.definitions[place].members.indices { model.definitions[place].members[index].value = nil }
        let value = Member(name: model.fresh("v"), type: .string)
        model.definitions[place].members.insert(value, at: random.next(model.definitions[place].members.count))
        return true
      }
    },
    Edit(name: "change an enum's type") { model, random in
      model.change(.enumeration, &random) { model, place, random in
        model.definitions[place].underlying = random.pick(integers)
        return true
      }
    },
    Edit(name: "make an enum flags, or not") { model, random in
      model.change(.enumeration, &random) { model, place, random in
        let isFlags = !model.definitions[place].attributes.isEmpty
        model.definitions[place].attributes = isFlags ? [] : ["bit_flags"]
        if !isFlags, !model.definitions[place].underlying.hasPrefix("u") {
          model.definitions[place].underlying = "uint"
        }
        return true
      }
    },
    Edit(name: "remove a union member") { model, random in
      model.change(.union, &random, minimum: 2) { model, place, random in
        model.definitions[place].members.remove(at: random.next(model.definitions[place].members.count))
        return true
      }
    },
    Edit(name: "swap union members") { model, random in
      model.change(.union, &random, minimum: 2) { model, place, random in
        let first = random.next(model.definitions[place].members.count - 1)
        model.definitions[place].members.swapAt(first, first + 1)
        return true
      }
    },
    Edit(name: "retype a union member") { model, random in
      model.change(.union, &random) { model, place, random in
        let choices = model.definitions.filter { $0.kind == .table || $0.kind == .structure }.map(\.id)
        let index = random.next(model.definitions[place].members.count)
        model.definitions[place].members[index].type =
          random.once(in: 4) ? .string : .definition(random.pick(choices))
        return true
      }
    },
    Edit(name: "make a struct a table") { model, random in
      model.change(.structure, &random) { model, place, random in
        let id = model.definitions[place].id
        let isHeld = model.definitions.contains { other in
          (other.kind == .structure && other.members.contains { $0.type.definition == id })
        }
        guard !isHeld,
          !model.definitions[place].members.contains(where: { if case .array = $0.type { true } else { false } })
        else { return false }
        model.definitions[place].kind = .table
        model.definitions[place].attributes = []
        return true
      }
    },
    Edit(name: "change the file identifier") { model, random in
      model.identifier = model.identifier == nil ? "NEWI" : nil
      return true
    },
  ]

  static let allowed: [Edit] = [
    Edit(name: "append a field") { model, random in
      model.change(.table, &random, minimum: 0) { model, place, random in
        var field = model.newField(&random)
        field.attributes = field.attributes.filter { $0 != "required" }
        model.definitions[place].members.append(field)
        return true
      }
    },
    Edit(name: "append an enum value") { model, random in
      model.change(.enumeration, &random) { model, place, random in
        model.definitions[place].members.append(Member(name: model.fresh("v"), type: .string))
        return true
      }
    },
    Edit(name: "append a union member") { model, random in
      model.change(.union, &random) { model, place, random in
        let choices = model.definitions.filter { $0.kind == .table || $0.kind == .structure }.map(\.id)
        let member = Member(name: model.fresh("m"), type: .definition(random.pick(choices)))
        model.definitions[place].members.append(member)
        return true
      }
    },
    Edit(name: "deprecate a field") { model, random in
      model.changeField(&random, where: { member, _ in member.attributes.isEmpty }) { member, _, _ in
        member.attributes = ["deprecated"]
      }
    },
    Edit(name: "rename a field") { model, random in
      let name = model.fresh("f")
      return model.changeField(&random) { member, _, _ in member.name = name }
    },
    Edit(name: "hash a number, or not") { model, random in
      let isFit: (Member, SchemaModel) -> Bool = { member, _ in
        if case .scalar("uint") = member.type { member.attributes.isEmpty || member.isHashed } else { false }
      }
      return model.changeField(&random, where: isFit) { member, random, _ in
        let choices = [[], ["hash: \"fnv1_32\""], ["hash: \"fnv1a_32\""]].filter { $0 != member.attributes }
        member.attributes = random.pick(choices)
      }
    },
    Edit(name: "share a string, or not") { model, random in
      let isFit: (Member, SchemaModel) -> Bool = { member, _ in
        if case .string = member.type { member.attributes.isEmpty || member.attributes == ["shared"] } else { false }
      }
      return model.changeField(&random, where: isFit) { member, _, _ in
        member.attributes = member.attributes.isEmpty ? ["shared"] : []
      }
    },
    Edit(name: "align a vector, or not") { model, random in
      let isFit: (Member, SchemaModel) -> Bool = { member, _ in
        guard case .vector(.scalar) = member.type, member.nested == nil else { return false }
        return member.attributes.isEmpty || member.attributes == ["force_align: 16"]
      }
      return model.changeField(&random, where: isFit) { member, _, _ in
        member.attributes = member.attributes.isEmpty ? ["force_align: 16"] : []
      }
    },
    Edit(name: "make a field the key, or not") { model, random in
      model.change(.table, &random) { model, place, random in
        // A key of text is required, which is another edit.
        let members = model.definitions[place].members
        if let index = members.firstIndex(where: { $0.attributes == ["key"] }) {
          model.definitions[place].members[index].attributes = []
          return true
        }
        let choices = members.indices.filter { index in
          guard case .scalar = members[index].type else { return false }
          return members[index].attributes.isEmpty && members[index].value == nil
        }
        guard !choices.isEmpty else { return false }
        model.definitions[place].members[random.pick(choices)].attributes = ["key"]
        return true
      }
    },
    Edit(name: "rename a struct's field") { model, random in
      model.change(.structure, &random) { model, place, random in
        model.definitions[place].members[0].name = model.fresh("s")
        return true
      }
    },
    Edit(name: "rename an enum value") { model, random in
      model.change(.enumeration, &random) { model, place, random in
        let index = random.next(model.definitions[place].members.count)
        let (before, after) = (model.definitions[place].members[index].name, model.fresh("v"))
        model.definitions[place].members[index].name = after
        for other in model.definitions.indices {
          for field in model.definitions[other].members.indices
          where model.definitions[other].members[field].value == before {
            model.definitions[other].members[field].value = after
          }
        }
        return true
      }
    },
    Edit(name: "rename a union member") { model, random in
      model.change(.union, &random) { model, place, random in
        let index = random.next(model.definitions[place].members.count)
        model.definitions[place].members[index].name = model.fresh("m")
        return true
      }
    },
    Edit(name: "rename a type") { model, random in
      let places = model.definitions.indices.filter { model.definitions[$0].id != model.root }
      guard !places.isEmpty else { return false }
      model.definitions[random.pick(places)].name = model.fresh("T")
      return true
    },
    Edit(name: "move a type to another namespace") { model, random in
      let places = model.definitions.indices.filter { model.definitions[$0].id != model.root }
      guard !places.isEmpty else { return false }
      model.definitions[random.pick(places)].namespace = random.pick(["", "N", "Q"])
      return true
    },
    Edit(name: "write ids out") { model, random in
      model.change(.table, &random, minimum: 0) { model, place, random in
        model.definitions[place].hasIDs.toggle()
        return true
      }
    },
    Edit(name: "add a table") { model, random in
      let id = (model.definitions.map(\.id).max() ?? 0) + 1
      var table = Definition(id: id, kind: .table, name: model.fresh("T"), members: [])
      table.members.append(model.newField(&random))
      model.definitions.append(table)
      return true
    },
    Edit(name: "change the order of definitions") { model, random in
      // Structs and enums are used below.
      let tables = model.definitions.filter { $0.kind == .table }
      model.definitions = model.definitions.filter { $0.kind != .table } + tables.reversed()
      return true
    },
  ]
}

extension SchemaModel {
  /// Whether a field is a number, be it of an enum.
  func isNumber(_ member: Member) -> Bool {
    if case .scalar = member.type { return true }
    return !member.isVector && kind(member.type) == .enumeration
  }
}

extension SchemaModel.Member {
  var isHashed: Bool { attributes.first?.hasPrefix("hash") == true }
  var isVector: Bool { if case .vector = type { true } else { false } }
}
