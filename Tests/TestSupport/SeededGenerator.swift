/// Numbers that look random, and are the same for the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package init(seed: Int) {
    state = UInt64(bitPattern: Int64(seed))
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// From 0 up to, and without, `bound`.
  package mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `times`.
  package mutating func once(in times: Int) -> Bool { next(times) == 0 }

  /// True in so many of a hundred times.
  package mutating func chance(_ percent: Int) -> Bool { next(100) < percent }

  package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[next(choices.count)] }
}
