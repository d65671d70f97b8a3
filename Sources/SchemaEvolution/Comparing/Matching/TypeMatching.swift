import FBSSchema

/// Pairs of types, each as it was found, and which of them are not compared yet.
struct TypePairs {
  /// What each type of OLD became, and what each of NEW was.
  private(set) var newOf: [DefinitionID: DefinitionID] = [:]
  private(set) var oldOf: [DefinitionID: DefinitionID] = [:]
  private var all: [TypePair] = []
  private var next = 0

  /// Whether there is no pair left to be compared.
  var isEmpty: Bool { next == all.count }

  mutating func add(_ pair: TypePair) {
    newOf[pair.old] = pair.new
    oldOf[pair.new] = pair.old
    all.append(pair)
  }

  mutating func popNext() -> TypePair? {
    guard next < all.count else { return nil }
    next += 1
    return all[next - 1]
  }

  /// Whether neither type has become, or been, another one.
  func isFree(_ pair: TypePair) -> Bool { newOf[pair.old] == nil && oldOf[pair.new] == nil }
}

/// Which type of NEW each type of OLD became, as far as the comparison has come.
final class TypeMatching: TypeRelations {
  private let versions: VersionPair
  var pairs = TypePairs()
  /// Types of OLD that something reads as another type: their names say nothing about them.
  private(set) var readAsOthers: Set<DefinitionID> = []
  /// Which pairs lead to which, for those under a new version.
  private(set) var uses: [TypePair: [TypePair]] = [:]
  /// Pairs that only deprecated fields hold. Those before `nextUnread` have been given out.
  private var unread: [TypePair] = []
  private var nextUnread = 0
  /// What trials said.
  private var trials: [TypePair: Bool] = [:]

  init(_ versions: VersionPair) {
    self.versions = versions
  }

  var newOf: [DefinitionID: DefinitionID] { pairs.newOf }
  var oldOf: [DefinitionID: DefinitionID] { pairs.oldOf }

  func match(_ pair: TypePair) { pairs.add(pair) }

  /// Whether neither type has been matched.
  func isFree(_ pair: TypePair) -> Bool { pairs.isFree(pair) }

  /// Whether two types that are none by their names have been found to be read alike.
  func isKnownAsAlike(_ pair: TypePair) -> Bool { trials[pair] == true }

  /// The next pair that only deprecated fields hold. It may have been matched since it was found.
  func nextUnreadPair() -> TypePair? {
    guard nextUnread < unread.count else { return nil }
    nextUnread += 1
    return unread[nextUnread - 1]
  }

  /// The type of NEW, of whatever kind, that has the name of a type of OLD and has not been matched.
  func namesake(of id: DefinitionID) -> TypePair? {
    guard !readAsOthers.contains(id), let same = versions.newIndex.byName[versions.old.schema.name(of: id)],
      oldOf[same] == nil
    else { return nil }
    return TypePair(old: id, new: same)
  }

  // MARK: TypeRelations

  func relate(_ pair: TypePair, in holder: TypePair) -> TypeRelation {
    if newOf[pair.old] == pair.new {
      uses[holder, default: []].append(pair)
      return .same
    }
    guard pair.old.kind == pair.new.kind else { return .kind }
    if isFree(pair), versions.areVersionsOfOne(pair.old, pair.new) {
      match(pair)
      uses[holder, default: []].append(pair)
      return .same
    }
    guard isAlike(pair) else { return .different }
    readAsOthers.insert(pair.old)
    return .alike
  }

  /// Nothing reads what a deprecated field holds, so that the pair waits until all that is read is known.
  func relateUnread(_ pair: TypePair) -> TypeRelation {
    if newOf[pair.old] == pair.new { return .same }
    guard pair.old.kind == pair.new.kind, versions.areVersionsOfOne(pair.old, pair.new) else { return .different }
    unread.append(pair)
    return .same
  }

  private func isAlike(_ pair: TypePair) -> Bool {
    if let known = trials[pair] { return known }
    let isAlike = LikenessTrial(versions).isAlike(pair)
    trials[pair] = isAlike
    return isAlike
  }
}
