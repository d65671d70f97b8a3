import FBSSchema

/// Pairs of types, in the order in which they were found. `popNext` gives out the pairs that are not yet compared.
struct TypePairs {
  /// The type of NEW that each type of OLD became.
  private(set) var newOf: [DefinitionID: DefinitionID] = [:]
  /// The type of OLD that each type of NEW was.
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

  /// Returns whether neither type belongs to a pair.
  func isFree(_ pair: TypePair) -> Bool { newOf[pair.old] == nil && oldOf[pair.new] == nil }
}

/// Matches types of OLD with the types of NEW that they became, as far as the comparison has come.
final class TypeMatching: TypeRelations {
  private let versions: VersionPair
  var pairs = TypePairs()
  /// Types of OLD whose data a field of NEW reads as a type with an unrelated name. They are not matched by name.
  private(set) var readAsOthers: Set<DefinitionID> = []
  /// The pairs that each pair holds. `RenewalReport` follows them from a root table with a new version.
  private(set) var uses: [TypePair: [TypePair]] = [:]
  /// Pairs that only deprecated fields hold. `nextUnreadPair` has given out those before index `nextUnread`.
  private var unread: [TypePair] = []
  private var nextUnread = 0
  /// The results of likeness trials: nil for types that are not alike.
  private var trials: [TypePair: [Finding]?] = [:]

  init(_ versions: VersionPair) {
    self.versions = versions
  }

  var newOf: [DefinitionID: DefinitionID] { pairs.newOf }
  var oldOf: [DefinitionID: DefinitionID] { pairs.oldOf }

  func match(_ pair: TypePair) { pairs.add(pair) }

  /// Returns whether neither type has been matched.
  func isFree(_ pair: TypePair) -> Bool { pairs.isFree(pair) }

  /// Returns whether a trial has found that data of the old type reads correctly as the new type, though their names are
  /// unrelated.
  func isKnownAsAlike(_ pair: TypePair) -> Bool { trialResult(of: pair) != nil }

  /// Returns the next pair that only deprecated fields hold, or nil at the end. It may have been matched since it was
  /// found.
  func nextUnreadPair() -> TypePair? {
    guard nextUnread < unread.count else { return nil }
    nextUnread += 1
    return unread[nextUnread - 1]
  }

  /// Pairs a type of OLD with the unmatched type of NEW, of any kind, that has its name. Returns nil if there is none,
  /// or a field reads the old type as another.
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

  /// Defers the pair until all pairs that accessors read are known, since no accessor reads a deprecated field.
  func relateUnread(_ pair: TypePair) -> TypeRelation {
    if newOf[pair.old] == pair.new { return .same }
    guard pair.old.kind == pair.new.kind, versions.areVersionsOfOne(pair.old, pair.new) else { return .different }
    unread.append(pair)
    return .same
  }

  func precautions(between pair: TypePair) -> [Finding] { trialResult(of: pair) ?? [] }

  private func isAlike(_ pair: TypePair) -> Bool {
    if !trials.keys.contains(pair) {
      trials.updateValue(LikenessTrial(versions).precautions(between: pair), forKey: pair)
    }
    return isKnownAsAlike(pair)
  }

  /// Returns the result of the trial of a pair; nil if the types are not alike, or if there was no trial.
  private func trialResult(of pair: TypePair) -> [Finding]? {
    guard let result = trials[pair] else { return nil }
    return result
  }
}
