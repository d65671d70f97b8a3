import FlatBuffersCore
import TestSupport

@testable import BufferJobs

extension SeededGenerator {
  mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
    Int.random(in: 0..<denominator, using: &self) < numerator
  }

  /// The default in two of six cases, the minimum or maximum in one each, else any number.
  mutating func integer<T: FixedWidthInteger>(default: T = 0) -> T {
    switch Int.random(in: 0..<6, using: &self) {
    case 0, 1: `default`
    case 2: T.min
    case 3: T.max
    default: T.random(in: T.min...T.max, using: &self)
    }
  }

  /// A number that is exact in a `Float` and has few decimal digits, because flatc prints at most twelve.
  mutating func fraction() -> Double {
    chance(1, in: 3) ? 0 : Double(Int.random(in: -32000...32000, using: &self)) / 32
  }

  mutating func string() -> String {
    let pieces = ["", "a", "Z", "\u{0}", "\"", "\\", "é", "漢", "🦊", "\n", " ", "\u{7F}", "word", "/", "👩‍👧"]
    var string = ""
    for _ in 0..<Int.random(in: 0...12, using: &self) { string += pieces.randomElement(using: &self) ?? "" }
    return string
  }

  mutating func optional<T>(_ make: (inout SeededGenerator) -> T) -> T? {
    chance(2, in: 3) ? make(&self) : nil
  }

  mutating func list<T>(upTo count: Int = 5, _ make: (inout SeededGenerator) -> T) -> [T]? {
    guard chance(3, in: 4) else { return nil }
    var elements: [T] = []
    for _ in 0..<Int.random(in: 0...count, using: &self) { elements.append(make(&self)) }
    return elements
  }
}

extension Vec3 {
  init(using random: inout SeededGenerator) {
    self.init(x: Float(random.fraction()), y: Float(random.fraction()), z: Float(random.fraction()))
  }
}

extension Mixed {
  init(using random: inout SeededGenerator) {
    self.init(
      flag: .random(using: &random), at: Vec3(using: &random), id: random.integer(), small: random.integer(),
      codes: [random.integer(), random.integer(), random.integer()])
  }
}

extension Leaf {
  init(using random: inout SeededGenerator) {
    self.init(name: random.optional { $0.string() }, value: random.integer(default: 5))
  }
}

extension Node {
  init(using random: inout SeededGenerator, depth: Int = 0) {
    self.init(
      label: random.optional { $0.string() },
      children: depth == 4 ? nil : random.list(upTo: 3) { Node(using: &$0, depth: depth + 1) })
  }
}

extension AnyMember {
  init(using random: inout SeededGenerator) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: self = .leaf(Leaf(using: &random))
    case 1: self = .node(Node(using: &random, depth: 2))
    case 2: self = .point(Vec3(using: &random))
    default: self = .text(random.string())
    }
  }
}

extension Everything {
  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    self.init(using: &random)
  }

  init(using random: inout SeededGenerator) {
    let kinds: [KindValue] = [.a, .b, .c]
    self.init(
      b: .random(using: &random), i8: random.integer(), i16: random.integer(), i32: random.integer(),
      i64: random.integer(), u8: random.integer(), u16: random.integer(), u32: random.integer(), u64: random.integer(),
      f32: Float(random.fraction()), f64: random.fraction(), maybeBool: random.optional { .random(using: &$0) },
      maybeInt: random.optional { $0.integer() }, maybeDouble: random.optional { $0.fraction() },
      answer: random.integer(default: 42), half: random.chance(1, in: 2) ? 0.5 : random.fraction(),
      name: random.string(), alias: random.optional { $0.string() }, kind: kinds.randomElement(using: &random) ?? .b,
      position: random.optional { Vec3(using: &$0) }, mixed: random.optional { Mixed(using: &$0) },
      bytes: random.list(upTo: 20) { $0.integer() }, shorts: random.list { $0.integer() },
      longs: random.list { $0.integer() }, doubles: random.list { $0.fraction() },
      bools: random.list { .random(using: &$0) }, kinds: random.list { kinds.randomElement(using: &$0) ?? .b },
      strings: random.list { $0.string() }, points: random.list { Vec3(using: &$0) },
      mixes: random.list { Mixed(using: &$0) }, leaves: random.list { Leaf(using: &$0) },
      leaf: random.optional { Leaf(using: &$0) }, node: random.optional { Node(using: &$0) },
      any: random.optional { AnyMember(using: &$0) }, anys: random.list { AnyMember(using: &$0) },
      nested: random.optional { Leaf(using: &$0) })
  }

  /// The object as a finished buffer.
  func buffer(forceDefaults: Bool = false) -> ByteBuffer {
    var builder = FlatBufferBuilder(initialCapacity: 64, forceDefaults: forceDefaults)
    let root = write(&builder)
    return ByteBuffer(bytesOf(&builder, root: root, fileIdentifier: "EVRY"))
  }
}
