/// The part of the Swift program that is the same for all schemas.
package enum DriverSupport {
  /// The program of the accessors.
  package static let source = values + program

  /// Random values, JSON as C++ prints it, and numbers and bytes in a file.
  package static let values = #"""
    import FlatBuffersCore
    import Foundation

    struct Random {
      var state: UInt64
      /// In damaged bytes, fields may lie one above the other.
      var isDamaged = false
      /// Whether there may be what JSON of C++ cannot show: numbers that are none, and unions in vectors that are absent.
      var isWild = false
      /// A value that is not wild.
      mutating func tame<T>(_ make: (inout Random) -> T) -> T {
        let before = isWild
        isWild = false
        defer { isWild = before }
        return make(&self)
      }
      func mustBe(_ isTrue: Bool) {
        if !isTrue, !isDamaged { fatalError("what was changed in place reads as something else") }
      }
      init(_ seed: UInt64) {
        state = seed &* 0x2545_F491_4F6C_DD1D &+ 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<4 { _ = bits() }
      }
      mutating func bits() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
      }
      mutating func next(_ bound: Int) -> Int { Int((bits() >> 11) % UInt64(bound)) }
      mutating func once(in times: Int) -> Bool { next(times) == 0 }
      mutating func isPresent(_ depth: Int) -> Bool { depth < 5 && next(depth + 3) < 2 }
      mutating func indices(_ limit: Int, _ depth: Int) -> [Int] { depth > 3 ? [] : Array(0..<next(limit + 1)) }
      mutating func value<T: RandomValue>(_: T.Type = T.self) -> T { T.random(&self) }
      mutating func list<T: RandomValue>(_: T.Type = T.self) -> [T] { (0..<next(5)).map { _ in T.random(&self) } }
      mutating func key<T: RandomValue>(_ index: Int, _: T.Type) -> T {
        index < 0 ? T.random(&self) : T.number((index * 53 + 11) & 0x7F)
      }
      mutating func key(_ index: Int) -> String {
        let words = ["", "b", "\u{E9}", "B", "ab", "z\u{1F600}"]
        return words[next(words.count)] + "#\(index)"
      }
      mutating func string() -> String {
        let words = ["", "a", "some words", "\u{E9}t\u{E9}", "\u{65E5}\u{672C}", "\u{1F600}", "q\"uote\\", "line\nbreak\tx"]
        return words[next(words.count)] + (once(in: 3) ? String(repeating: "x", count: next(20)) : "")
      }
    }

    protocol RandomValue: FlatBufferScalar {
      static func random(_ r: inout Random) -> Self
      static func number(_ n: Int) -> Self
    }
    extension RandomValue where Self: FixedWidthInteger {
      static func number(_ n: Int) -> Self { Self(truncatingIfNeeded: n) }
      static func random(_ r: inout Random) -> Self {
        switch r.next(6) {
        case 0: 0
        case 1: min
        case 2: max
        case 3: 1
        default: Self(truncatingIfNeeded: r.bits() >> 3)
        }
      }
    }
    extension Int8: RandomValue {}
    extension Int16: RandomValue {}
    extension Int32: RandomValue {}
    extension Int64: RandomValue {}
    extension UInt8: RandomValue {}
    extension UInt16: RandomValue {}
    extension UInt32: RandomValue {}
    extension UInt64: RandomValue {}
    extension Bool: RandomValue {
      static func number(_ n: Int) -> Bool { n & 1 == 1 }
      static func random(_ r: inout Random) -> Bool { r.once(in: 2) }
    }
    // Numbers that both print exactly, and no negative zero, which C++ takes for its default.
    extension Float: RandomValue {
      static func number(_ n: Int) -> Float { Float(n) * 0.5 }
      static func random(_ r: inout Random) -> Float {
        if r.isWild, r.once(in: 4) { return [.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude][r.next(5)] }
        return Float(r.next(8001) - 4000) / 4 + 0
      }
    }
    extension Double: RandomValue {
      static func number(_ n: Int) -> Double { Double(n) * 0.5 }
      static func random(_ r: inout Random) -> Double {
        if r.isWild, r.once(in: 4) { return [.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude][r.next(5)] }
        return Double(r.next(8_000_001) - 4_000_000) / 8 + 0
      }
    }

    /// JSON as C++ prints it, without spaces.
    struct Output {
      var text = ""
      var isComplete = true
      private var needsComma = false
      mutating func open(_ bracket: String) { text += bracket; needsComma = false }
      mutating func close(_ bracket: String) { text += bracket; needsComma = true }
      mutating func item() { if needsComma { text += "," }; needsComma = false }
      mutating func key(_ name: String) { item(); text += "\"" + name + "\":" }
      mutating func value<T: CustomStringConvertible>(_ value: T) { text += value.description; needsComma = true }
      mutating func value<T: CustomStringConvertible>(_ value: T?) { if let value { self.value(value) } else { check(false) } }
      mutating func string(_ value: String?) {
        guard let value else { return check(false) }
        text += "\""
        for scalar in value.unicodeScalars {
          switch scalar {
          case "\"": text += "\\\""
          case "\\": text += "\\\\"
          case "\n": text += "\\n"
          case "\t": text += "\\t"
          default: text.unicodeScalars.append(scalar)
          }
        }
        text += "\""
        needsComma = true
      }
      /// Something is not as it must be in what was verified and not damaged.
      mutating func check(_ isTrue: Bool) {
        if !isTrue { text += "?"; needsComma = true; isComplete = false }
      }
      mutating func lookUp(_ isFound: Bool) {
        if !isFound { text += "(lost)"; isComplete = false }
      }
    }

    extension FlatBufferBuilder {
      mutating func finishForSure(_ root: Offset, sizePrefixed: Bool = false) {
        do throws(FlatBufferError) { try finish(root, sizePrefixed: sizePrefixed) } catch { fatalError("\(error)") }
      }
    }

    struct Writer {
      var bytes: [UInt8] = []
      mutating func number(_ number: Int) { for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) } }
      mutating func chunk(_ chunk: [UInt8]) { number(chunk.count); bytes += chunk }
    }
    struct Reader {
      let bytes: [UInt8]
      var position = 0
      mutating func number() -> Int {
        defer { position += 4 }
        return (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
      }
      mutating func chunk() -> [UInt8] {
        let count = number()
        defer { position += count }
        return Array(bytes[position..<position + count])
      }
    }

    """#

  private static let program = #"""
    struct Entry: Sendable {
      let write: @Sendable (inout Random, inout FlatBufferBuilder) -> Offset
      let error: @Sendable (ByteBuffer, Bool) -> FlatBufferError?
      let edit: @Sendable (EditableFlatBuffer, Bool, inout Random) -> Void
      let print: @Sendable (ByteBuffer, Bool) -> String
      init<View: FlatBufferTableView>(
        _: View.Type, write: @escaping @Sendable (inout Random, inout FlatBufferBuilder) -> Offset,
        print: @escaping @Sendable (View, inout Output) -> Void,
        edit: @escaping @Sendable (EditableFlatBuffer, Bool, inout Random) -> Void
      ) {
        self.write = write
        self.edit = edit
        error = { buffer, sizePrefixed in
          do throws(FlatBufferError) { try buffer.verify(as: View.self, sizePrefixed: sizePrefixed); return nil } catch { return error }
        }
        self.print = { buffer, sizePrefixed in
          guard let view = View(buffer, sizePrefixed: sizePrefixed) else { return "no root" }
          var output = Output()
          print(view, &output)
          return output.text
        }
      }
    }

    func damaged(_ bytes: [UInt8], _ r: inout Random) -> [UInt8] {
      var bytes = bytes
      for _ in 0...(r.once(in: 4) ? 1 : 0) {
        guard bytes.count > 8 else { return bytes }
        let word = r.next(bytes.count / 4) * 4
        switch r.next(8) {
        case 0: bytes[r.next(bytes.count)] ^= 1 << UInt8(r.next(8))
        case 1: bytes[r.next(bytes.count)] = [0, 1, 2, 4, 0x7F, 0x80, 0xFF][r.next(7)]
        case 2: bytes[word] = bytes[word] &+ UInt8([1, 2, 4, 8, 252, 255][r.next(6)])
        case 3:
          let other = r.next(bytes.count / 4) * 4
          for index in 0..<4 where word + index < bytes.count { bytes[word + index] = bytes[other + index] }
        case 4:
          let half = r.next(bytes.count / 2) * 2
          let other = r.next(bytes.count / 2) * 2
          bytes[half] = bytes[other]
          bytes[half + 1] = bytes[other + 1]
        case 5:
          let half = r.next(bytes.count / 2) * 2
          bytes[half] = 0
          bytes[half + 1] = 0
        case 6: bytes.removeLast(1 + r.next(r.once(in: 2) ? 4 : bytes.count))
        default: bytes += [UInt8](repeating: 0, count: 1 + r.next(4))
        }
      }
      return bytes
    }

    func run() throws {
      let arguments = CommandLine.arguments
      var writer = Writer()
      switch arguments[1] {
      case "write":
        var builder = FlatBufferBuilder()
        for (schema, tables) in entries.enumerated() {
          for object in 0..<Int(arguments[3])! {
            var r = Random(UInt64(arguments[2])! &* 1000 &+ UInt64(schema * 7919 + object))
            let table = r.next(tables.count)
            let entry = tables[table]
            let sizePrefixed = r.once(in: 4)
            builder.clear()
            builder.forceDefaults = r.once(in: 4)
            let root = entry.write(&r, &builder)
            builder.finishForSure(root, sizePrefixed: sizePrefixed)
            var buffer = builder.finishedBuffer()
            // Half of them are changed in place. A changed value may be the default, which C++ then must write, too.
            let isEdited = r.once(in: 2)
            if isEdited {
              let bytes = try EditableFlatBuffer(copying: buffer)
              entry.edit(bytes, sizePrefixed, &r)
              buffer = bytes.buffer
            }
            let bytes = buffer.withUnsafeBytes { [UInt8]($0) }
            for number in [schema, table, sizePrefixed ? 1 : 0, builder.forceDefaults || isEdited ? 1 : 0] { writer.number(number) }
            writer.chunk(bytes)
            let mistake = entry.error(buffer, sizePrefixed)
            writer.chunk(Array((mistake.map { "refused: \($0)" } ?? entry.print(buffer, sizePrefixed)).utf8))
            let mutants = Int(arguments[4])!
            writer.number(mutants)
            r.isDamaged = true
            for _ in 0..<mutants {
              let mutant = damaged(bytes, &r)
              let buffer = ByteBuffer(mutant)
              let mistake = entry.error(buffer, sizePrefixed)
              // Whatever is there is read, accepted or not.
              _ = entry.print(buffer, sizePrefixed)
              entry.edit(try EditableFlatBuffer(copying: buffer), sizePrefixed, &r)
              writer.chunk(mutant)
              writer.chunk(Array((mistake.map { "\($0)" } ?? "").utf8))
            }
          }
        }
      default:
        var reader = Reader(bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[2]))))
        while reader.position < reader.bytes.count {
          let entry = entries[reader.number()][reader.number()]
          let buffer = ByteBuffer(reader.chunk())
          let mistake = entry.error(buffer, false)
          writer.chunk(Array((mistake.map { "refused: \($0)" } ?? entry.print(buffer, false)).utf8))
        }
      }
      try Data(writer.bytes).write(to: URL(fileURLWithPath: arguments.last!))
    }
    try run()
    """#
}
