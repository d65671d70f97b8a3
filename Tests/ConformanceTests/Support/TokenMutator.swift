import TestSupport

/// Makes a slip in a schema: a token lost, doubled, swapped, replaced or added.
struct TokenMutator {
  private var random: SeededGenerator
  private let pool: [String]

  /// A mutator that takes tokens to put in from `schemas`.
  init(seed: Int, schemas: [String]) {
    random = SeededGenerator(seed: seed)
    pool = schemas.flatMap { Self.tokens($0).map(String.init) } + ["null", "-", "(", ")", "[", "]", "{", "}", "="]
  }

  mutating func mutate(_ text: String) -> String {
    var tokens = Self.tokens(text).map(String.init)
    guard tokens.count > 1 else { return text + random.pick(pool) }
    for _ in 0...(random.once(in: 4) ? 1 : 0) {
      let place = random.next(tokens.count)
      switch random.next(6) {
      case 0: tokens.remove(at: place)
      case 1: tokens.insert(tokens[place], at: place)
      case 2: tokens.swapAt(place, (place + 1) % tokens.count)
      case 3: tokens[place] = tokens[random.next(tokens.count)]
      case 4: tokens[place] = random.pick(pool)
      default: tokens.insert(random.pick(pool), at: place)
      }
      if tokens.isEmpty { tokens = [random.pick(pool)] }
    }
    return tokens.joined(separator: " ")
  }

  /// Words, numbers, strings and signs. Comments are tokens with their line's end, so that they hide nothing after them.
  static func tokens(_ text: String) -> [Substring] {
    var result: [Substring] = []
    var rest = text.unicodeScalars[...]
    func isWord(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
    }
    while let first = rest.first {
      var end = rest.index(after: rest.startIndex)
      if first.properties.isWhitespace {
        rest = rest[end...]
        continue
      }
      if isWord(first) {
        end = rest.firstIndex { !isWord($0) && $0 != "." } ?? rest.endIndex
        // A name's dots are tokens of their own, a number's are part of it.
        if !("0"..."9").contains(first) { end = rest.firstIndex { !isWord($0) } ?? rest.endIndex }
      } else if first == "\"" || first == "'" {
        var isEscaped = false
        end = rest.endIndex
        for index in rest.indices.dropFirst() {
          if !isEscaped, rest[index] == first {
            end = rest.index(after: index)
            break
          }
          isEscaped = !isEscaped && rest[index] == "\\"
        }
      } else if first == "/", rest.dropFirst().first == "/" {
        end = rest.firstIndex { $0 == "\n" }.map { rest.index(after: $0) } ?? rest.endIndex
        // A comment starts on a line of its own.
        result.append("\n" + Substring(rest[..<end]))
        rest = rest[end...]
        continue
      }
      result.append(Substring(rest[..<end]))
      rest = rest[end...]
    }
    return result
  }
}
