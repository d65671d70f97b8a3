import FBSDiagnostics
import FBSParser

/// Gives each name a number, so that names are compared and looked up without strings.
struct NameTable {
  private(set) var strings: [String] = []
  private var storage: [UInt8] = []
  private var ends: [Int] = [0]
  private var hashes: [UInt64] = []
  private var slots: [Int32] = Array(repeating: -1, count: 1024)

  func find(_ bytes: ArraySlice<UInt8>) -> Int? {
    let found = slots[slot(of: bytes, hash: Self.hash(bytes))]
    return found < 0 ? nil : Int(found)
  }

  mutating func intern(_ bytes: ArraySlice<UInt8>) -> Int {
    let hash = Self.hash(bytes)
    let place = slot(of: bytes, hash: hash)
    if slots[place] >= 0 { return Int(slots[place]) }
    let id = strings.count
    slots[place] = Int32(id)
    strings.append(String(decoding: bytes, as: UTF8.self))
    storage.append(contentsOf: bytes)
    ends.append(storage.count)
    hashes.append(hash)
    if strings.count * 2 > slots.count { grow() }
    return id
  }

  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash ^ hash >> 32
  }

  private func slot(of bytes: ArraySlice<UInt8>, hash: UInt64) -> Int {
    let mask = UInt64(slots.count - 1)
    var place = Int(hash & mask)
    while slots[place] >= 0 {
      let id = Int(slots[place])
      if hashes[id] == hash, storage[ends[id]..<ends[id + 1]].elementsEqual(bytes) { return place }
      place = (place + 1) & Int(mask)
    }
    return place
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    let mask = UInt64(slots.count - 1)
    for (id, hash) in hashes.enumerated() {
      var place = Int(hash & mask)
      while slots[place] >= 0 { place = (place + 1) & Int(mask) }
      slots[place] = Int32(id)
    }
  }
}

/// The namespaces, as a tree from the global one (0).
struct NamespaceTable {
  private(set) var parents: [Int] = [-1]
  /// The global namespace.
  static let global = 0
  private(set) var components: [[String]] = [[]]
  /// The range at which each namespace was first opened.
  private(set) var ranges: [SourceRange?] = [nil]
  private var children: [Pair: Int] = [:]

  /// Two small numbers as a key.
  struct Pair: Hashable {
    let first: Int32
    let second: Int32

    init(_ first: Int, _ second: Int) {
      self.first = Int32(first)
      self.second = Int32(second)
    }
  }

  func child(_ name: Int, of namespace: Int) -> Int? { children[Pair(namespace, name)] }

  mutating func open(_ name: Int, _ text: String, in namespace: Int, at range: SourceRange) -> Int {
    if let known = child(name, of: namespace) { return known }
    let id = parents.count
    parents.append(namespace)
    components.append(components[namespace] + [text])
    ranges.append(range)
    children[Pair(namespace, name)] = id
    return id
  }
}
