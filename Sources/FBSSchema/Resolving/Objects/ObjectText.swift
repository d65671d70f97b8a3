import FBSDiagnostics
import FBSParser

/// The rules for a file that is a JSON object, as opposed to an object that ends a schema, and those of strict JSON for
/// both.
struct ObjectText {
  let tree: SyntaxTree
  let options: ObjectResolver.Options

  /// Returns what is wrong with a file of data.
  func faults() -> [Diagnostic] {
    guard case .object(let span)? = tree.items.first, tree.items.count == 1, !tree.json.isEmpty else {
      return [
        Diagnostic(
          .notAnObject, .error, "this is not a JSON object", at: tree.range(of: 0),
          advice: "a file of data is one object: `{ ... }`", notes: ["schemas are named apart from the data"])
      ]
    }
    guard tree.tokens[span.first].kind == .leftBrace else {
      return [
        Diagnostic(
          .notAnObject, .error, "data is an object, and not a list", at: tree.range(of: 0), advice: "write `{ ... }`")
      ]
    }
    return looseTokens(in: span)
  }

  /// Returns the tokens of an object that strict JSON does not have; none if it need not be strict.
  func looseTokens(in span: TokenSpan) -> [Diagnostic] {
    guard options.isStrict else { return [] }
    var faults: [Diagnostic] = []
    for token in span.first...span.last {
      let range = tree.range(of: token)
      switch tree.tokens[token].kind {
      case .identifier:
        let words: [StaticString] = ["true", "false", "null"]
        let isKey = token < span.last && tree.tokens[token + 1].kind == .colon
        if !isKey, words.contains(where: { tree.token(token, is: $0) }) { continue }
        // The sign of `-inf` belongs within the quotes.
        let sign: TokenKind? = token > span.first ? tree.tokens[token - 1].kind : nil
        let isSigned = sign == .minus || sign == .plus
        let name = (sign == .minus ? "-" : "") + tree.text(of: token)
        let place = isSigned ? tree.range(of: TokenSpan(token - 1, token)) : range
        faults.append(
          loose("names without quotes", at: place, "write it in double quotes", .replace(place, with: "\"\(name)\"")))
      case .integer, .float:
        let text = tree.text(of: token)
        let number = Self.strictNumber(text)
        guard number != text else { continue }
        faults.append(
          loose(
            "number `\(text)`", at: range, number.map { "write `\($0)`" } ?? "write it in decimal digits",
            number.map { Diagnostic.Fix.replace(range, with: $0) }))
      case .string where tree.bytes(of: token).first == UInt8(ascii: "'"):
        faults.append(loose("strings in single quotes", at: range, "write it in double quotes"))
      case .string:
        faults += looseEscapes(in: token)
      case .comma:
        let next = tree.tokens[token + 1].kind
        guard next == .rightBrace || next == .rightBracket else { continue }
        faults.append(loose("comma after the last entry", at: range, "remove it", .remove(",", at: range)))
      default: break
      }
    }
    return faults
  }

  private func loose(
    _ form: String, at range: SourceRange, _ advice: String, _ fix: Diagnostic.Fix? = nil
  ) -> Diagnostic {
    Diagnostic(
      .looseJSON, .error, "strict JSON has no \(form)", at: range, advice: advice, fixes: fix.map { [$0] } ?? [])
  }

  /// Returns the escapes of a string that JSON does not have: `\'` and `\xNN`. The latter may stand for a byte that is
  /// not UTF-8, where such bytes are allowed: strict JSON is written with it, too.
  private func looseEscapes(in token: TokenIndex) -> [Diagnostic] {
    let bytes = tree.bytes(of: token)
    let file = tree.range(of: token).file
    var faults: [Diagnostic] = []
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      guard bytes[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "'"):
        let range = SourceRange(file: file, start: index, end: index + 2)
        faults.append(loose("escape `\\'`", at: range, "write `'`", .replace(range, with: "'")))
      case UInt8(ascii: "x") where !options.allowsInvalidUTF8:
        let range = SourceRange(file: file, start: index, end: min(index + 4, bytes.endIndex))
        faults.append(loose("escape `\\x`", at: range, "write the character, or its number as `\\uXXXX`"))
      default: break
      }
      index += 2
    }
    return faults
  }

  /// Returns a number of a schema as JSON writes it; nil for a hexadecimal number that is no integer of 64 bits.
  private static func strictNumber(_ text: String) -> String? {
    var rest = text[...]
    let sign = rest.hasPrefix("-") ? "-" : ""
    if rest.hasPrefix("-") || rest.hasPrefix("+") { rest.removeFirst() }
    if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
      return UInt64(rest.dropFirst(2), radix: 16).map { sign + String($0) }
    }
    let digits: ClosedRange<Character> = "0"..."9"
    let whole = rest.prefix { digits.contains($0) }
    rest = rest.dropFirst(whole.count)
    let significant = whole.drop { $0 == "0" }
    var number = sign + (significant.isEmpty ? "0" : String(significant))
    if rest.hasPrefix(".") {
      let fraction = rest.dropFirst().prefix { digits.contains($0) }
      number += "." + (fraction.isEmpty ? "0" : String(fraction))
      rest = rest.dropFirst(1 + fraction.count)
    }
    // JSON has exponents as schemas have them.
    return number + String(rest)
  }
}
