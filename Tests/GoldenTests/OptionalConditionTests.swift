import Dflat
import Golden_optionals
import Testing

/// What conditions with `nil` and optional variables find, against the same conditions on objects in Swift.
@Suite("Conditions with nil and optional values")
struct OptionalConditionTests {
  /// A condition, and whether it is true for an object; nil if it is neither true nor false.
  private typealias Condition = (name: String, query: QueryExpression<Bool, Survey>, truth: (Survey) -> Bool?)

  /// Objects with each combination of present and absent values, and with two values of some fields.
  private static let objects: [Survey] = {
    var objects: [Survey] = []
    for title in [nil, "a", "b"] as [String?] {
      for born in [nil, 0, 7] as [Int64?] {
        for adult in [nil, false, true] as [Bool?] {
          for mood in [nil, Mood.calm, .tense] {
            var builder = SurveyBuilder(Survey(number: Int32(objects.count)))
            builder.title = title
            builder.born = born
            builder.adult = adult
            builder.mood = mood
            builder.weight = born.map { Double($0) }
            if objects.count % 3 > 0 { builder.proof = objects.count % 3 == 1 ? .place(Place()) : .remark(Remark()) }
            if objects.count % 5 > 0 { builder.remark = Remark(likes: objects.count % 5 == 1 ? nil : 3) }
            objects.append(builder.build())
          }
        }
      }
    }
    return objects
  }()

  private static func compare<T: Equatable>(_ lhs: T?, _ rhs: T?) -> Bool? {
    rhs == nil ? lhs == nil : lhs.map { $0 == rhs }
  }
  private static func not(_ value: Bool?) -> Bool? { value.map { !$0 } }
  private static func and(_ lhs: Bool?, _ rhs: Bool?) -> Bool? {
    lhs == false || rhs == false ? false : lhs == nil || rhs == nil ? nil : true
  }
  private static func or(_ lhs: Bool?, _ rhs: Bool?) -> Bool? { not(and(not(lhs), not(rhs))) }

  private static func plain(_ flag: Bool) -> [Condition] {
    [
      ("born == nil", Survey.born == nil, { $0.born == nil }),
      ("born != nil", Survey.born != nil, { $0.born != nil }),
      ("nil == born", nil == Survey.born, { $0.born == nil }),
      ("nil != born", nil != Survey.born, { $0.born != nil }),
      ("!(born == nil)", !(Survey.born == nil), { $0.born != nil }),
      ("title == nil", Survey.title == nil, { $0.title == nil }),
      ("adult == nil", Survey.adult == nil, { $0.adult == nil }),
      ("mood != nil", Survey.mood != nil, { $0.mood != nil }),
      ("proof == nil", Survey.proof == nil, { $0.proof == nil }),
      ("nil != proof", nil != Survey.proof, { $0.proof != nil }),
      ("remark.likes == nil", Survey.remark.likes == nil, { $0.remark?.likes == nil }),
      ("number == nil", Survey.number == nil, { _ in false }),
      ("(number > 3) == nil", (Survey.number > 3) == nil, { _ in false }),
      ("(born > 3) == nil", (Survey.born > 3) == nil, { $0.born == nil }),
      ("number > 9 && born == nil", Survey.number > 9 && Survey.born == nil, { $0.number > 9 && $0.born == nil }),
      ("number > 9 && born != nil", Survey.number > 9 && Survey.born != nil, { $0.number > 9 && $0.born != nil }),
      ("nil != born && number > 9", nil != Survey.born && Survey.number > 9, { $0.number > 9 && $0.born != nil }),
      ("number > 9 || title == nil", Survey.number > 9 || Survey.title == nil, { $0.number > 9 || $0.title == nil }),
      ("number > 9 && proof == nil", Survey.number > 9 && Survey.proof == nil, { $0.number > 9 && $0.proof == nil }),
      (
        "born == nil && title == nil", Survey.born == nil && Survey.title == nil,
        { $0.born == nil && $0.title == nil }
      ),
      (
        "number > 9 && (born == nil || mood != nil)", Survey.number > 9 && (Survey.born == nil || Survey.mood != nil),
        { $0.number > 9 && ($0.born == nil || $0.mood != nil) }
      ),
      (
        "number > 9 && !(born == nil || number > 60)",
        Survey.number > 9 && !(Survey.born == nil || Survey.number > 60),
        { $0.number > 9 && !($0.born == nil || $0.number > 60) }
      ),
      ("adult && born == nil", Survey.adult && Survey.born == nil, { and($0.adult, $0.born == nil) }),
      ("!adult || born == nil", !Survey.adult || Survey.born == nil, { or(not($0.adult), $0.born == nil) }),
      ("flag && born == nil", flag && Survey.born == nil, { flag && $0.born == nil }),
      ("born == nil || flag", Survey.born == nil || flag, { $0.born == nil || flag }),
      (
        "flag ? born == nil : number > 9", flag ? Survey.born == nil : Survey.number > 9,
        {
          flag ? $0.born == nil : $0.number > 9
        }
      ),
      ("(born == nil) == flag", (Survey.born == nil) == flag, { ($0.born == nil) == flag }),
      (
        "(born == nil) == (title == nil)", (Survey.born == nil) == (Survey.title == nil),
        { ($0.born == nil) == ($0.title == nil) }
      ),
      (
        "number > 9 && {born == nil}()", Survey.number > 9 && { Survey.born == nil }(),
        {
          $0.number > 9 && $0.born == nil
        }
      ),
      (
        "number > 9 && [born == nil][0]", Survey.number > 9 && [Survey.born == nil][0],
        {
          $0.number > 9 && $0.born == nil
        }
      ),
      (
        "number > 9 && same(born) == nil", Survey.number > 9 && same(Survey.born) == nil,
        {
          $0.number > 9 && $0.born == nil
        }
      ),
      ("mood == nil as Mood?", Survey.mood == nil as Mood?, { $0.mood == nil }),
    ]
  }

  private static func same<T>(_ value: T) -> T { value }

  private static func optional(_ long: Int64?, _ string: String?, _ mood: Mood?, _ bool: Bool?) -> [Condition] {
    [
      ("born == \(long as Any)", Survey.born == long, { compare($0.born, long) }),
      ("\(long as Any) == born", long == Survey.born, { compare($0.born, long) }),
      ("born != \(long as Any)", Survey.born != long, { not(compare($0.born, long)) }),
      ("\(long as Any) != born", long != Survey.born, { not(compare($0.born, long)) }),
      ("!(born == \(long as Any))", !(Survey.born == long), { not(compare($0.born, long)) }),
      ("title == \(string as Any)", Survey.title == string, { compare($0.title, string) }),
      ("mood == \(mood as Any)", Survey.mood == mood, { compare($0.mood, mood) }),
      ("adult == \(bool as Any)", Survey.adult == bool, { compare($0.adult, bool) }),
      (
        "number > 9 && born == \(long as Any)", Survey.number > 9 && Survey.born == long,
        { and($0.number > 9, compare($0.born, long)) }
      ),
      (
        "title == \(string as Any) || mood != \(mood as Any)", Survey.title == string || Survey.mood != mood,
        { or(compare($0.title, string), not(compare($0.mood, mood))) }
      ),
      (
        "\(bool as Any) != adult && \(long as Any) == born", bool != Survey.adult && long == Survey.born,
        { and(not(compare($0.adult, bool)), compare($0.born, long)) }
      ),
    ]
  }

  private static var conditions: [Condition] {
    var conditions = plain(true) + plain(false)
    for long in [nil, 0, 7, 8] as [Int64?] {
      for string in [nil, "a"] as [String?] {
        conditions += optional(long, string, string == nil ? .tense : nil, long.map { $0 > 0 })
      }
    }
    return conditions
  }

  @Test("A fetch and an evaluation give what the condition says in Swift")
  func conditions() async throws {
    let objects = Self.objects
    try await withWorkspace { workspace in
      try await workspace.performChanges([Survey.self]) { transaction in
        for object in objects { try transaction.submit(SurveyChangeRequest.creationRequest(object)) }
      }
      for (name, query, truth) in Self.conditions {
        let found = workspace.fetch(for: Survey.self).where(query, orderBy: [Survey.number.ascending]).map(\.number)
        #expect(found == objects.filter { truth($0) == true }.map(\.number), "\(name)")
        for object in objects { #expect(query.evaluate(object: object) == truth(object), "\(name)") }
      }
    }
  }

  @Test("In a call that has several overloads, a negation beside another condition is a query")
  func negations() async throws {
    let objects = Self.objects
    try await withWorkspace { workspace in
      try await workspace.performChanges([Survey.self]) { transaction in
        for object in objects { try transaction.submit(SurveyChangeRequest.creationRequest(object)) }
      }
      let found = workspace.fetch(for: Survey.self).where(Survey.number > 9 && !(Survey.born == nil))
      #expect(Set(found.map(\.number)) == Set(objects.filter { $0.number > 9 && $0.born != nil }.map(\.number)))
    }
  }
}
