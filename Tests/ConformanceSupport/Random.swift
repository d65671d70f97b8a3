/// Numbers that look random, and are the same in every run.
package struct Random {
  private var state: UInt64

  package init(seed: Int) {
    state = UInt64(bitPattern: Int64(seed)) &* 0x2545_F491_4F6C_DD1D &+ 0x9E37_79B9_7F4A_7C15
    if state == 0 { state = 1 }
    for _ in 0..<4 { _ = next(2) }
  }

  /// From 0 up to, and without, `bound`.
  package mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int((state >> 11) % UInt64(bound))
  }

  /// True once in `times`.
  package mutating func once(in times: Int) -> Bool { next(times) == 0 }

  package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[next(choices.count)] }
}
