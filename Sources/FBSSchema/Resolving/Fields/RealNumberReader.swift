import FBSDiagnostics
import FBSParser

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads floating-point numbers: defaults, and values of JSON objects.
struct RealNumberReader {
  let scope: ResolutionScope

  /// Returns the default of a floating-point field, or another value of its type, rounded to the type. A wrong number
  /// is reported and gives nil; a wrong function call is reported and gives 0.
  func real(
    _ value: ValueSyntax, _ type: ScalarType, _ tree: SyntaxTree, wrong: DiagnosticCode = .wrongDefault,
    surprising: DiagnosticCode = .surprisingDefault
  ) -> Double? {
    numbers(value, type, tree, wrong: wrong, surprising: surprising)?.rounded
  }

  /// Returns a floating-point number, both rounded to its type and unrounded. A wrong number is reported and gives nil;
  /// a wrong function call is reported and gives 0. A number too large for the type becomes infinite, with a warning.
  func numbers(
    _ value: ValueSyntax, _ type: ScalarType, _ tree: SyntaxTree, wrong: DiagnosticCode = .wrongDefault,
    surprising: DiagnosticCode = .surprisingDefault
  ) -> (rounded: Double, unrounded: Double)? {
    let range = tree.range(of: value.span)
    let result: Double?
    var unrounded: Double?
    switch value.kind {
    case .call:
      guard let number = call(value, tree, wrong, surprising) else { return nil }
      return (type == .float ? Double(Float(number)) : number, number)
    case .emptyList:
      result = nil
    case .token, .signedName:
      guard !tree.tokens[value.span.first].isMalformed else { return nil }
      var text = tree.text(of: value.span)
      if tree.tokens[value.span.first].kind == .string { text = String(text.dropFirst().dropLast()) }
      unrounded = Self.parse(text, Double.self)
      result = type == .float ? Self.parse(text, Float.self).map(Double.init) : unrounded
      if let result, result.isInfinite, text.contains(where: \.isNumber) {
        scope.report(
          surprising, .warning, "`\(text)` is too large for \(type.schemaName), and becomes infinite",
          at: range,
          advice: "write `inf` if that is meant")
      }
    }
    guard let result else {
      let text = tree.text(of: value.span)
      let isHexadecimal = text.contains("0x") || text.contains("0X")
      scope.error(
        wrong, isHexadecimal ? "`\(text)` is no floating-point number" : "`\(text)` is not a number", at: range,
        advice: isHexadecimal ? "a hexadecimal float needs an exponent: `0x10p0`" : "write a number, such as `1.5`",
        notes: isHexadecimal ? [] : ["`inf`, `nan` and functions such as `rad(180)` are numbers, too"])
      return nil
    }
    return (result, unrounded ?? result)
  }

  /// Reads a decimal number, a hexadecimal one with an exponent, or a word for infinity or NaN; nil if the text is none
  /// of these.
  private static func parse<T: BinaryFloatingPoint & LosslessStringConvertible>(_ text: String, _: T.Type) -> T? {
    var word = text.drop { $0 == " " }
    while word.last == " " { word.removeLast() }
    let sign: T = word.first == "-" ? -1 : 1
    let digits = word.first == "-" || word.first == "+" ? word.dropFirst() : word
    switch digits.lowercased() {
    case "inf", "infinity": return sign * T.infinity
    case "nan": return T.nan
    default: break
    }
    guard let first = digits.utf8.first,
      first == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return nil }
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      guard digits.contains(where: { $0 == "p" || $0 == "P" }) else { return nil }
    }
    return T(String(word))
  }

  private func call(
    _ value: ValueSyntax, _ tree: SyntaxTree, _ wrong: DiagnosticCode, _ surprising: DiagnosticCode
  ) -> Double? {
    // The parser limits how deep calls stand in calls.
    guard case .call(let index) = value.kind else { return nil }
    let name = tree.text(of: value.span.first)
    let function: (Double) -> Double
    switch name {
    case "deg": function = { $0 * 180 / .pi }
    case "rad": function = { $0 * .pi / 180 }
    case "sin": function = { sin($0) }
    case "cos": function = { cos($0) }
    case "tan": function = { tan($0) }
    case "asin": function = { asin($0) }
    case "acos": function = { acos($0) }
    case "atan": function = { atan($0) }
    default:
      let known = ["deg", "rad", "sin", "cos", "tan", "asin", "acos", "atan"]
      let near = nearestName(to: name, in: known)
      scope.error(
        wrong, "there is no function `\(name)`", at: tree.range(of: value.span.first),
        advice: near.map { "did you mean `\($0)`?" } ?? "",
        notes: ["the functions are \(known.joined(separator: ", "))"],
        fixes: near.map { [.replace(tree.range(of: value.span.first), with: $0)] } ?? [])
      return 0
    }
    guard let argument = real(tree.values[index], .double, tree, wrong: wrong, surprising: surprising) else { return 0 }
    return function(argument)
  }
}
