import ConformanceSupport
import Emitters
import FBSSchema
import SchemaEvolution
import TestSupport

/// Two versions of a schema that a store takes, and what is said of them.
struct StorePair {
  let number: Int
  let old: SchemaModel
  let new: SchemaModel
  let edits: [String]
  let findings: [Finding]
  /// OLD, OLD before it deprecated anything, and NEW.
  let schemas: (old: Schema, live: Schema, new: Schema)

  static let emitters = EmitterRegistry.defaults

  var hasDeprecated: Bool { old.definitions.contains { $0.members.contains(where: \.isDeprecated) } }

  /// Whether stored objects come to harm, by what is said: or are left behind on purpose, as objects are that nothing reads.
  var isHarmful: Bool {
    findings.contains {
      // The runtime does not ask for the identifier.
      $0.rule.level == .storage && $0.severity == .error && $0.evidence == .data && $0.rule.id != "file-identifier"
        || $0.rule.id == "version-required"
        || $0.rule.id == "table-renamed"
    }
  }

  /// Whether nothing but what an older version drops is said about stored data.
  var isWithoutHarm: Bool { findings.allSatisfy { $0.rule.level == .source || $0.severity == .note } }

  var text: String {
    "store pair \(number) (DFLAT_SEED=\(number) DFLAT_STORE_PAIRS=1): \(edits)\n--- old\n\(old.text())--- new\n"
      + "\(new.text())--- findings\n"
      + findings.map { "\($0.severity) \($0.rule.id) \($0.evidence): \($0.message)\n" }.joined()
  }

  init(number: Int) {
    // Apart from the pairs of the other proof.
    var random = SeededGenerator(seed: number &* 7 &+ 3)
    for _ in 0..<2000 {
      let first = SchemaModel.randomForStore(&random)
      var second = first
      let edits = second.edit(
        &random, harmful: SchemaModel.harmful + SchemaModel.harmfulForStore + SchemaModel.harmfulForStore,
        allowed: SchemaModel.allowed + SchemaModel.allowedForStore)
      let (old, new) = (first.inNamespace("P\(number)"), second.inNamespace("P\(number)"))
      guard !edits.isEmpty, let before = Self.version(old.text()), let live = Self.version(old.text(isLive: true)),
        let after = Self.version(new.text())
      else { continue }
      self.number = number
      (self.old, self.new, self.edits) = (old, new, edits)
      findings = SchemaEvolution.compare(old: before, new: after)
      schemas = (before.schema, live.schema, after.schema)
      return
    }
    preconditionFailure("no schema for a store in two thousand")
  }

  /// A version that code can be generated for. Nothing if there is none.
  private static func version(_ text: String) -> SchemaVersion? {
    guard let version = try? SchemaEvolutionTests.version(text), !version.schema.files.compactMap(\.rootTable).isEmpty,
      CheckedSchema(schema: version.schema, emitters: emitters).generator != nil
    else { return nil }
    return version
  }
}

extension SchemaModel {
  /// A schema whose root table a store takes: with a primary key, and indexes.
  static func randomForStore(_ random: inout SeededGenerator) -> SchemaModel {
    var model = SchemaModel.random(&random)
    let place = model.definitions.firstIndex { $0.kind == .table } ?? 0
    model.root = model.definitions[place].id
    let count = random.once(in: 3) ? 2 : 1
    for _ in 0..<count {
      let key = Member(
        name: model.fresh("f"), type: random.pick(keyTypes), attributes: ["primary"])
      model.definitions[place].members.insert(key, at: random.next(model.definitions[place].members.count + 1))
    }
    for index in model.definitions[place].members.indices where random.once(in: 2) {
      // Values are random, and may be there twice.
      let choices = model.indexes(of: model.definitions[place].members[index]).filter { $0.allSatisfy(isNotUnique) }
      guard !choices.isEmpty else { continue }
      model.definitions[place].members[index].attributes = random.pick(choices)
    }
    if random.once(in: 3) { model.definitions[place].attributes = ["v: \"1\""] }
    return model
  }

  private static let keyTypes: [TypeModel] = [.string, .string, .scalar("int"), .scalar("ulong"), .scalar("short")]

  private static func isNotUnique(_ attribute: String) -> Bool { !attribute.hasPrefix("unique") }

  private static func isIndex(_ attribute: String) -> Bool {
    attribute.hasPrefix("indexed") || attribute.hasPrefix("unique")
  }

  /// The attributes that a field without any may get for its indexes, each list one choice.
  private func indexes(of member: Member) -> [[String]] {
    guard member.attributes.isEmpty else { return [] }
    switch member.type {
    case .string:
      return [
        ["indexed"], ["unique"], ["indexed: \"folded\""], ["unique: \"folded\""], ["indexed", "unique: \"folded\""],
        ["unique", "indexed: \"folded\""],
      ]
    case .vector(.string): return [["indexed"], ["indexed: \"folded\""]]
    case .vector(.scalar): return member.nested == nil ? [["indexed"]] : []
    case .vector(let element): return kind(element) == .enumeration ? [["indexed"]] : []
    case .scalar, .definition, .array: return isIndexable(member) ? [["indexed"], ["unique"]] : []
    }
  }

  func isIndexable(_ member: Member) -> Bool {
    guard member.attributes.isEmpty else { return false }
    switch member.type {
    case .scalar, .string: return true
    default: return !member.isVector && kind(member.type) == .enumeration
    }
  }

  /// The same schema in a namespace, so that many fit into one program.
  func inNamespace(_ name: String) -> SchemaModel {
    var copy = self
    for place in copy.definitions.indices {
      let own = copy.definitions[place].namespace
      copy.definitions[place].namespace = own.isEmpty ? name : "\(name).\(own)"
    }
    return copy
  }

  private mutating func changeRoot(_ body: (inout Definition) -> Bool) -> Bool {
    guard let place = root.flatMap({ self.place($0) }) else { return false }
    return body(&definitions[place])
  }

  static let harmfulForStore: [Edit] = [
    Edit(name: "take a field out of the key, or put one in") { model, random in
      guard let place = model.root.flatMap({ model.place($0) }) else { return false }
      let members = model.definitions[place].members
      let choices = members.indices.filter {
        members[$0].attributes == ["primary"] || (model.isIndexable(members[$0]) && members[$0].value != "null")
      }
      guard !choices.isEmpty else { return false }
      let index = random.pick(choices)
      let isPrimary = members[index].attributes == ["primary"]
      model.definitions[place].members[index].attributes = isPrimary ? [] : ["primary"]
      return true
    },
    Edit(name: "retype a field of the key") { model, random in
      model.changeRoot { table in
        guard let index = table.members.firstIndex(where: { $0.attributes == ["primary"] }) else { return false }
        table.members[index].type = random.pick(keyTypes)
        return true
      }
    },
    Edit(name: "change the order of the key") { model, _ in
      model.changeRoot { table in
        let keys = table.members.indices.filter { table.members[$0].attributes == ["primary"] }
        guard keys.count > 1 else { return false }
        table.members.swapAt(keys[0], keys[1])
        return true
      }
    },
    Edit(name: "rename the root table") { model, _ in
      let name = model.fresh("T")
      return model.changeRoot { table in
        table.name = name
        return true
      }
    },
    Edit(name: "move the root table to another namespace") { model, _ in
      model.changeRoot { table in
        table.namespace = table.namespace == "Q" ? "" : "Q"
        return true
      }
    },
    Edit(name: "change the version of the root table") { model, _ in
      model.changeRoot { table in
        table.attributes = table.attributes == ["v: \"1\""] ? ["v: \"2\""] : ["v: \"1\""]
        return true
      }
    },
    Edit(name: "change a string's default") { model, random in
      model.changeField(
        &random,
        where: { member, _ in if case .string = member.type { member.attributes.isEmpty } else { false } }
      ) { member, random, _ in
        let choices = ["\"x\"", "\"\"", nil].filter { $0 != member.value }
        member.value = random.pick(choices)
      }
    },
    Edit(name: "make another table the root") { model, random in
      let others = model.definitions.indices.filter {
        model.definitions[$0].kind == .table && model.definitions[$0].id != model.root
      }
      guard !others.isEmpty else { return false }
      let place = random.pick(others)
      model.root = model.definitions[place].id
      model.definitions[place].members.append(
        Member(name: model.fresh("f"), type: .string, attributes: ["primary"]))
      return true
    },
  ]

  static let allowedForStore: [Edit] = [
    Edit(name: "index a field, or not") { model, random in
      guard let place = model.root.flatMap({ model.place($0) }) else { return false }
      let members = model.definitions[place].members
      let choices = members.indices.filter {
        !model.indexes(of: members[$0]).isEmpty || members[$0].attributes.contains(where: isIndex)
      }
      guard !choices.isEmpty else { return false }
      let index = random.pick(choices)
      let former = members[index].attributes
      model.definitions[place].members[index].attributes = []
      // Half of the indexed fields get another index.
      guard former.isEmpty || random.once(in: 2) else { return true }
      let others = model.indexes(of: model.definitions[place].members[index]).filter { $0 != former }
      model.definitions[place].members[index].attributes = others.isEmpty ? [] : random.pick(others)
      return true
    },
    Edit(name: "rename a field of the key") { model, _ in
      let name = model.fresh("f")
      return model.changeRoot { table in
        guard let index = table.members.firstIndex(where: { $0.attributes == ["primary"] }) else { return false }
        table.members[index].name = name
        return true
      }
    },
    Edit(name: "write the root's name in other letters") { model, _ in
      // SQLite takes capitals for small letters; the name on disk is in small ones anyway.
      model.changeRoot { table in
        table.name = table.name.lowercased() == table.name ? table.name.uppercased() : table.name.lowercased()
        return true
      }
    },
  ]
}
