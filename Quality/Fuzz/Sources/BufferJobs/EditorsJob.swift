import FlatBuffersCore
import FuzzSupport
import Golden_mutation

/// Any bytes as a FlatBuffer that is changed in place.
public enum EditorsJob {
  /// Changes everything that can be reached from the root of `bytes`, one value at a time.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let original = ByteBuffer(bytes)
    guard let editable = try? EditableFlatBuffer(copying: original), let monster = MonsterEditor(root: editable) else {
      return
    }
    var edits = Edits(of: editable)
    try edits.edit(monster)
    guard original.withUnsafeBytes({ $0.elementsEqual(bytes) }) else { throw Mistake("an edit changes the original") }
  }
}

/// Makes changes, and holds that each is no wider than its value.
///
/// Damaged bytes may have a field of one table stand in an offset of another, so that a change may lead all that comes after it
/// astray.
private struct Edits {
  private let buffer: EditableFlatBuffer
  private var before: [UInt8]
  /// Damaged bytes may refer to the same table over and over.
  private var budget = 200

  init(of buffer: EditableFlatBuffer) {
    self.buffer = buffer
    before = Edits.copy(buffer)
  }

  private static func copy(_ buffer: EditableFlatBuffer) -> [UInt8] {
    buffer.buffer.withUnsafeBytes { [UInt8]($0) }
  }

  /// Makes a change of a value that has `size` bytes. It returns whether it took place.
  private mutating func change(size: Int, _ edit: () -> Bool) throws(Mistake) {
    budget -= 1
    guard budget > 0 else { return }
    let tookPlace = edit()
    let after = Edits.copy(buffer)
    guard after.count == before.count else { throw Mistake("an edit changes the size") }
    let changed = after.indices.filter { after[$0] != before[$0] }
    if let first = changed.first, let last = changed.last {
      guard tookPlace else { throw Mistake("an edit that failed changed something") }
      guard last - first < size else { throw Mistake("an edit of \(size) bytes changes \(last - first + 1)") }
    }
    before = after
  }

  /// Makes a change that takes place wherever it can be asked for.
  private mutating func set(size: Int, _ edit: () -> Void) throws(Mistake) {
    try change(size: size) {
      edit()
      return true
    }
  }

  mutating func edit(_ monster: MonsterEditor) throws(Mistake) {
    try change(size: 2) { monster.mutate(hp: monster.hp &+ 1) }
    try change(size: 1) { monster.mutate(isFriendly: !monster.isFriendly) }
    try change(size: 2) { monster.mutate(mood: MoodValue(rawValue: ~monster.mood.rawValue)) }
    try change(size: 1) { monster.mutate(skills: SkillsValue(rawValue: ~monster.skills.rawValue)) }
    try change(size: 8) { monster.mutate(luck: (monster.luck ?? 0) + 1) }
    try change(size: 2) { monster.mutate(maybeMood: MoodValue(rawValue: ~(monster.maybeMood?.rawValue ?? 0))) }
    if let body = monster.body { try edit(body) }
    let inventory = monster.inventory
    for index in inventory.indices where budget > 0 { try set(size: 1) { inventory[index] ^= 0xFF } }
    let moods = monster.moods
    for index in moods.indices where budget > 0 {
      try set(size: 2) { moods[index] = MoodValue(rawValue: ~moods[index].rawValue) }
    }
    for point in monster.path where budget > 0 { try edit(point) }
    for badge in monster.badges where budget > 0 { try edit(badge) }
    if let badge = monster.best { try edit(badge) }
    if let prize = monster.prize { try edit(prize) }
    for prize in monster.prizes where budget > 0 { if let prize { try edit(prize) } }
    if let medal = monster.medal { try edit(medal) }
    for medal in monster.medals where budget > 0 { if let medal { try edit(medal) } }
  }

  private mutating func edit(_ body: BodyEditor) throws(Mistake) {
    try edit(body.position)
    try set(size: 2) { body.mood = MoodValue(rawValue: ~body.mood.rawValue) }
    let codes = body.codes
    for index in codes.indices { try set(size: 2) { codes[index] = ~codes[index] } }
    let moods = body.moods
    for index in moods.indices { try set(size: 2) { moods[index] = MoodValue(rawValue: ~moods[index].rawValue) } }
    for corner in body.corners { try edit(corner) }
  }

  private mutating func edit(_ point: Vec2Editor) throws(Mistake) {
    try set(size: 4) { point.x = Float(bitPattern: ~point.x.bitPattern) }
    try set(size: 4) { point.y += 1 }
    try set(size: 8) { point.replace(with: Vec2Value(x: point.y, y: 0.5)) }
  }

  private mutating func edit(_ badge: BadgeEditor) throws(Mistake) {
    try change(size: 4) { badge.mutate(level: ~badge.level) }
  }

  private mutating func edit(_ prize: PrizeEditor) throws(Mistake) {
    switch prize {
    case .badge(let badge): try edit(badge)
    case .vec2(let point): try edit(point)
    case .title, .unknown: break
    }
  }

  private mutating func edit(_ medal: MedalEditor) throws(Mistake) {
    switch medal {
    case .badge(let badge): try edit(badge)
    case .vec2(let point): try edit(point)
    case .unknown: break
    }
  }
}
