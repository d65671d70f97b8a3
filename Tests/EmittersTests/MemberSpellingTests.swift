import TestSupport
import Testing

/// Names of fields and cases at random, against the rule of Dflat 0.6, told a second time.
@Suite("Spelling of fields and cases")
struct MemberSpellingTests {
  /// Names of few characters, so that many become one in Swift.
  private static func names(_ count: Int, seed: Int) -> [String] {
    var random = SeededGenerator(seed: seed)
    var names: [String] = []
    var taken: Set<String> = []
    while names.count < count {
      let first = random.pick(["a", "A", "b", "B", "_", "__", "Ab", "AB"])
      let name = first + (0..<random.next(6)).map { _ in random.pick(["a", "A", "b", "B", "_", "_", "1"]) }.joined()
      if taken.insert(name).inserted { names.append(name) }
    }
    return names
  }

  /// How Dflat 0.6 spells a name: an underscore that a character follows is left out, and that character is a capital.
  private static func joined(_ name: Substring) -> String {
    guard let first = name.first else { return "" }
    let rest = name.dropFirst()
    guard first == "_", let second = rest.first else { return String(first) + joined(rest) }
    return second.uppercased() + joined(rest.dropFirst())
  }

  private static func loweringFirst(_ name: String) -> String {
    name == name.uppercased() ? name : name.prefix(1).lowercased() + name.dropFirst()
  }

  private static func isName(_ text: String) -> Bool {
    text != "_" && text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
  }

  private static func fieldName(_ name: String) -> String {
    guard name.contains("_") else { return loweringFirst(name) }
    let joined = joined(name[...])
    return isName(joined) ? joined : name
  }

  private static func caseName(_ name: String) -> String {
    let joined = joined(name[...])
    return loweringFirst(isName(joined) ? joined : name)
  }

  private func check(_ names: [String], _ emitted: [String], _ rule: (String) -> String) {
    let found = emitted.map { $0.filter { $0 != "`" } }
    #expect(found.count == names.count)
    #expect(Set(found).count == found.count)
    var groups: [String: [(name: String, swift: String)]] = [:]
    for (name, swift) in zip(names, found) {
      #expect(Self.isName(swift), "\(name): \(swift)")
      groups[rule(name), default: []].append((name, swift))
    }
    for (wanted, members) in groups {
      // One has the name, unless it is that of an underscore; the others give way with an underscore and a number.
      #expect(members.count { $0.swift == wanted } <= 1)
      let isOfAnother = wanted.wholeMatch(of: /(.*)_[0-9]*/).map { groups[String($0.1)] != nil } ?? false
      if Self.isName(wanted), !isOfAnother { #expect(members.contains { $0.swift == wanted }, "\(wanted): \(members)") }
      for (name, swift) in members where swift != wanted {
        #expect(swift.wholeMatch(of: /(.*)_[0-9]*/)?.1 == wanted[...], "\(name): \(swift)")
      }
    }
  }

  @Test("Fields are spelled as in Dflat 0.6, and each has a name of its own", arguments: 1...20)
  func fields(seed: Int) throws {
    let names = Self.names(150, seed: seed)
    let text = "table Holder { \(names.map { "\($0): int;" }.joined(separator: " ")) }"
    for emitter in ["data-model", "accessors"] {
      let prefix = emitter == "data-model" ? "  public var " : "public var "
      let swift = try emit(emitter, text)
      let emitted = swift.split(separator: "\n").compactMap { line -> String? in
        guard let start = line.range(of: prefix), line.contains(": Int32") else { return nil }
        return line[start.upperBound...].split(separator: ":").first.map(String.init)
      }
      check(names, emitted, Self.fieldName)
    }
  }

  @Test("Cases are spelled as in Dflat 0.6, and each has a name of its own", arguments: 1...20)
  func cases(seed: Int) throws {
    let names = Self.names(150, seed: seed)
    let text = "enum Value: short { \(names.joined(separator: ", ")) }"
    let swift = try emit("data-model", text)
    let emitted = swift.split(separator: "\n").compactMap { line -> String? in
      line.wholeMatch(of: /\s\scase (.*) = [0-9]+/).map { String($0.1) }
    }
    check(names, emitted, Self.caseName)
  }

  @Test("The members of a union are spelled like cases", arguments: 1...5)
  func members(seed: Int) throws {
    let names = Self.names(100, seed: seed)
    let text = "table Leaf {} union Content { \(names.map { "\($0): Leaf" }.joined(separator: ", ")) }"
    let swift = try emit("data-model", text)
    let emitted = swift.split(separator: "\n").compactMap { line -> String? in
      line.wholeMatch(of: /\s\scase (.*)\(Leaf\)/).map { String($0.1) }
    }
    check(names, emitted, Self.caseName)
  }
}
