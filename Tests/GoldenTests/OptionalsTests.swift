import Dflat
import Golden_optionals
import Testing

@Suite("The output for many optional fields, compiled and run")
struct OptionalsTests {
  private typealias Change = @Sendable (inout SurveyBuilder) -> Void

  /// Two values for each optional property of a survey, and of the table that it holds.
  private static let changes: [(name: String, one: Change, other: Change)] = [
    ("title", { $0.title = "a" }, { $0.title = "" }),
    ("adult", { $0.adult = true }, { $0.adult = false }),
    ("siblings", { $0.siblings = 1 }, { $0.siblings = 0 }),
    ("rooms", { $0.rooms = 1 }, { $0.rooms = 0 }),
    ("floor", { $0.floor = -1 }, { $0.floor = 0 }),
    ("postcode", { $0.postcode = 1 }, { $0.postcode = 0 }),
    ("balance", { $0.balance = -1 }, { $0.balance = 0 }),
    ("steps", { $0.steps = 1 }, { $0.steps = 0 }),
    ("born", { $0.born = .min }, { $0.born = 0 }),
    ("account", { $0.account = .max }, { $0.account = 0 }),
    ("height", { $0.height = 1.5 }, { $0.height = 0 }),
    ("weight", { $0.weight = 1.5 }, { $0.weight = 0 }),
    ("mood", { $0.mood = .tense }, { $0.mood = .calm }),
    ("home", { $0.home = Place(x: 1) }, { $0.home = Place() }),
    ("remark", { $0.remark = Remark(likes: 1) }, { $0.remark = Remark() }),
    ("remark.author", { $0.remark = Remark(author: "a") }, { $0.remark = Remark(author: "b") }),
    ("remark.text", { $0.remark = Remark(text: "a") }, { $0.remark = Remark(text: "b") }),
    ("remark.mood", { $0.remark = Remark(mood: .calm) }, { $0.remark = Remark(mood: .tense) }),
    ("remark.likes", { $0.remark = Remark(likes: 1) }, { $0.remark = Remark(likes: 2) }),
    ("proof", { $0.proof = .place(Place()) }, { $0.proof = .remark(Remark()) }),
  ]

  private func survey(_ change: Change = { _ in }) -> Survey {
    var builder = SurveyBuilder(Survey(number: 1))
    change(&builder)
    return builder.build()
  }

  @Test("Objects are equal if each optional property is absent in both, or has equal values")
  func comparison() {
    #expect(survey() == survey())
    for (name, one, other) in Self.changes {
      #expect(survey(one) == survey(one), "\(name)")
      #expect(survey(other) == survey(other), "\(name)")
      #expect(survey(one) != survey(other), "\(name)")
      #expect(survey(one) != survey(), "\(name)")
      #expect(survey() != survey(one), "\(name)")
    }
    #expect(survey { $0.weight = .nan } != survey { $0.weight = .nan })
    #expect(survey { $0.weight = -0.0 } == survey { $0.weight = 0 })
  }

  @Test("An object is unchanged after encoding and decoding")
  func roundTrip() throws {
    for (name, one, other) in Self.changes {
      for object in [survey(one), survey(other)] {
        #expect(try Survey(verifying: object.toData()) == object, "\(name)")
      }
    }
  }

  @Test("A store keeps each value, and finds where one is absent")
  func stored() async throws {
    let full = survey { builder in
      for (_, one, _) in Self.changes { one(&builder) }
      builder.remark = Remark(author: "a", text: "b", mood: .tense, likes: 1)
    }
    let empty = Survey(number: 2)
    var edited = SurveyBuilder(full)
    edited.title = nil
    edited.weight = nil
    edited.remark?.likes = nil
    try await live(
      [full, empty], creation: { SurveyChangeRequest.creationRequest($0) },
      change: { SurveyChangeRequest.changeRequest($0) }, deletion: { SurveyChangeRequest.deletionRequest($0) },
      edited: edited.build(),
      edit: {
        $0.title = nil
        $0.weight = nil
        $0.remark?.likes = nil
      },
      questions: [
        (Survey.number == 2, [1]), (Survey.title == "a", [0]), (Survey.title.isNull, [1]), (Survey.adult.isNull, [1]),
        (Survey.siblings.isNull, [1]), (Survey.rooms.isNull, [1]), (Survey.floor == -1, [0]),
        (Survey.floor.isNull, [1]), (Survey.postcode.isNull, [1]), (Survey.balance.isNull, [1]),
        (Survey.steps == 1, [0]), (Survey.steps.isNull, [1]), (Survey.born == .min, [0]),
        (Survey.account == .max, [0]), (Survey.height > 1, [0]), (Survey.weight.isNull, [1]),
        (Survey.mood == .tense, [0]), (Survey.mood.isNull, [1]), (Survey.home.x == 1, [0]),
        (Survey.remark.likes == 1, [0]), (Survey.remark.author == "a", [0]), (Survey.remark.mood.isNull, [1]),
        (Survey.proof.match(Place.self), [0]), (Survey.proof.isNull, [1]),
      ])
  }

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let survey = survey { $0.remarks = [Remark(likes: 1), Remark()] }
    #expect((Survey.remarks.count == 2).evaluate(survey))
    #expect((Survey.remarks.contains { $0.likes == 1 }).evaluate(survey))
  }
}
