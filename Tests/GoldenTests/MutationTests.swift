import FlatBuffersCore
import Golden_mutation
import Testing

@Suite("The output for changes in place, compiled and run")
struct MutationTests {
  private func monster() throws -> ByteBuffer {
    try MonsterReader.buffer { builder in
      let name = builder.create("Orc")
      let inventory = builder.create(vector: [1, 2, 3] as [UInt8])
      let moods = builder.create(vector: [MoodValue.calm, .angry])
      let path = builder.create(vector: [Vec2Value(x: 1, y: 2), Vec2Value(x: 3, y: 4)])
      var badges: [Offset] = []
      for level in 1...2 as ClosedRange<Int32> { badges.append(BadgeReader.create(in: &builder, level: level)) }
      let prize = builder.create(Vec2Value(x: 8, y: 9))
      let vector = builder.create(vector: badges)
      let title = builder.create("Sir")
      let point = builder.create(Vec2Value(x: 5, y: 6))
      let prizes = builder.create(unionVector: [
        (PrizeReader.Code.title, title), (0, .null), (PrizeReader.Code.vec2, point),
        (PrizeReader.Code.badge, badges[1]),
      ])
      let medals = builder.create(unionVector: [(MedalReader.Code.badge, badges[0]), (MedalReader.Code.vec2, point)])
      return MonsterReader.create(
        in: &builder, hp: 80, name: name, mood: .calm, skills: .swim, luck: 0.5, maybeMood: .calm,
        body: BodyValue(codes: [1, 2, 3]), inventory: inventory, moods: moods, path: path, badges: vector,
        best: badges[0], prizeType: PrizeReader.Code.vec2, prize: prize,
        prizesType: prizes.types, prizes: prizes.members,
        medalType: MedalReader.Code.vec2, medal: prize, medalsType: medals.types, medals: medals.members)
    }
  }

  @Test("An editor changes each value of fixed size and leaves the others as they were")
  func everythingOfFixedSizeChangesAndNothingElse() throws {
    let original = try monster()
    let bytes = try EditableFlatBuffer(copying: original)
    let editor = try #require(MonsterEditor(root: bytes))
    #expect(editor.mutate(hp: -1) && editor.mutate(mood: .angry) && editor.mutate(skills: [.swim, .fly]))
    #expect(editor.mutate(luck: 99) && editor.mutate(maybeMood: MoodValue(rawValue: 1234)))
    let body = try #require(editor.body)
    body.mood = .angry
    body.position.x = 1.5
    body.codes[2] = 65535
    body.moods[1] = .angry
    body.corners[1].y = -2
    editor.inventory[0] = 255
    editor.moods[0] = MoodValue(rawValue: 3)
    editor.path[1].replace(with: Vec2Value(x: 10, y: 20))
    #expect(editor.badges[1].mutate(level: 50))
    #expect(editor.best?.mutate(level: 40) == true)
    guard case .vec2(let prize)? = editor.prize else {
      Issue.record("the prize is no Vec2")
      return
    }
    prize.y = 7
    guard case .vec2(let second)? = editor.prizes[2], case .title("Sir")? = editor.prizes[0] else {
      Issue.record("the second prize is no Vec2, or the first no title")
      return
    }
    second.x = -5
    #expect(editor.prizes.count == 4 && editor.prizes[1] == nil)
    #expect(editor.hp == -1 && editor.luck == 99 && body.codes.map { $0 } == [1, 2, 65535])

    let reader = try MonsterReader(verifying: bytes.buffer)
    #expect(reader.hp == -1 && reader.mood == .angry && reader.skills == [.swim, .fly])
    #expect(reader.luck == 99 && reader.maybeMood?.rawValue == 1234)
    #expect(reader.name == "Orc")
    #expect(reader.body?.mood == .angry && reader.body?.position.x == 1.5 && reader.body?.position.y == 0)
    #expect(reader.body.map { Array($0.codes) } == [1, 2, 65535])
    #expect(reader.body.map { Array($0.moods) } == [.calm, .angry])
    #expect(reader.body?.corners.map(\.y) == [0, -2])
    #expect(Array(reader.inventory) == [255, 2, 3])
    #expect(reader.moods.map(\.rawValue) == [3, -7])
    #expect(reader.path.map(\.x) == [1, 10] && reader.path.map(\.y) == [2, 20])
    #expect(reader.badges.map(\.level) == [40, 50])
    guard case .vec2(let point)? = reader.prize else {
      Issue.record("the prize is no Vec2")
      return
    }
    #expect(point.x == 8 && point.y == 7)
    guard case .vec2(let changed)? = reader.prizes[2] else {
      Issue.record("the prize among others is no Vec2")
      return
    }
    #expect(changed.x == -5 && changed.y == 6)
    // What was copied has not changed.
    #expect(MonsterReader(original)?.hp == 80)
  }

  @Test("The members of a union with wider codes change where they stand")
  func widerCodes() throws {
    let bytes = try EditableFlatBuffer(copying: monster())
    let editor = try #require(MonsterEditor(root: bytes))
    guard case .vec2(let medal)? = editor.medal, case .badge(let badge)? = editor.medals[0],
      case .vec2(let point)? = editor.medals[1]
    else {
      Issue.record("the members are not those of their codes")
      return
    }
    medal.x = 11
    point.y = 12
    #expect(badge.mutate(level: 13))
    let reader = try MonsterReader(verifying: bytes.buffer)
    guard case .vec2(let first)? = reader.medal, case .badge(let second)? = reader.medals[0],
      case .vec2(let third)? = reader.medals[1]
    else {
      Issue.record("the members are not those of their codes any more")
      return
    }
    #expect(first.x == 11 && second.level == 13 && third.y == 12)
  }

  @Test("An absent field has no room for a new value, but setting its default succeeds, as in C++")
  func absentFields() throws {
    let bytes = try EditableFlatBuffer(copying: MonsterReader.buffer { MonsterReader.create(in: &$0) })
    let before = bytes.buffer.withUnsafeBytes { [UInt8]($0) }
    let editor = try #require(MonsterEditor(root: bytes))
    #expect(!editor.mutate(hp: 99) && editor.mutate(hp: 100))
    #expect(!editor.mutate(isFriendly: true) && editor.mutate(isFriendly: false))
    #expect(!editor.mutate(mood: .calm) && editor.mutate(mood: .angry))
    #expect(!editor.mutate(luck: 0) && !editor.mutate(maybeMood: .calm))
    #expect(editor.body == nil && editor.best == nil && editor.prize == nil)
    #expect(editor.inventory.isEmpty && editor.path.isEmpty && editor.badges.isEmpty)
    #expect(bytes.buffer.withUnsafeBytes { [UInt8]($0) } == before)
  }

  @Test("A buffer with forced defaults has room for every value")
  func forcedDefaults() throws {
    let buffer = try MonsterReader.buffer(forceDefaults: true) { MonsterReader.create(in: &$0) }
    let bytes = try EditableFlatBuffer(copying: buffer)
    let editor = try #require(MonsterEditor(root: bytes))
    #expect(editor.mutate(hp: 1) && editor.mutate(isFriendly: true) && editor.hp == 1 && editor.isFriendly)
  }

  @Test("A nested struct is reached through editors that keep the bytes")
  func lifetime() throws {
    func corner() throws -> Vec2Editor {
      try #require(try MonsterEditor(root: EditableFlatBuffer(copying: monster()))?.body).corners[0]
    }
    let corner = try corner()
    corner.x = 3
    #expect(corner.x == 3)
  }

  @Test("An editor reads and writes nothing outside of its bytes, whatever they hold")
  func damagedBytes() throws {
    let original = try monster().withUnsafeBytes { [UInt8]($0) }
    for position in original.indices {
      for value: UInt8 in [0, 1, 3, 4, 0x40, 0x7F, 0x80, 0xFF] {
        var damaged = original
        damaged[position] = value
        let bytes = try EditableFlatBuffer(copying: ByteBuffer(damaged))
        guard let editor = MonsterEditor(root: bytes) else { continue }
        _ = editor.mutate(hp: -1)
        _ = editor.mutate(luck: 5)
        if let body = editor.body {
          body.codes[2] = 1
          body.corners[1].x = 2
        }
        for index in editor.inventory.indices { editor.inventory[index] = 0xFF }
        for index in editor.moods.indices { editor.moods[index] = .angry }
        for point in editor.path { point.y = 1 }
        for badge in editor.badges { _ = badge.mutate(level: 1) }
        _ = editor.best?.mutate(level: -1)
        if case .vec2(let point)? = editor.prize { point.x = 1 }
        #expect(bytes.buffer.count == original.count)
      }
    }
    for count in 0..<12 {
      #expect(
        MonsterEditor(root: try EditableFlatBuffer(copying: ByteBuffer([UInt8](repeating: 0, count: count)))) == nil)
    }
  }
}
