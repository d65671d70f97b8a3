import Foundation
import Testing

/// As much of TextMate's grammars as that of schemas needs: `match` with captures, `begin` and `end`, and includes.
struct TextMateGrammar {
  private final class Rule {
    let name: String?
    let match: NSRegularExpression?
    let end: NSRegularExpression?
    let captures: [Int: String]
    let patterns: [[String: Any]]

    init(_ source: [String: Any]) throws {
      name = source["name"] as? String
      let pattern = source["match"] as? String ?? source["begin"] as? String
      match = try pattern.map { try NSRegularExpression(pattern: $0) }
      end = try (source["end"] as? String).map { try NSRegularExpression(pattern: $0) }
      var captures: [Int: String] = [:]
      for (number, capture) in source["captures"] as? [String: [String: String]] ?? [:] {
        captures[try #require(Int(number))] = capture["name"]
      }
      self.captures = captures
      patterns = source["patterns"] as? [[String: Any]] ?? []
    }
  }

  private let top: [Rule]
  private let inner: [ObjectIdentifier: [Rule]]

  init(_ file: URL) throws {
    let source = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let repository = try #require(source["repository"] as? [String: [String: Any]])
    func rules(_ patterns: [[String: Any]]) throws -> [Rule] {
      try patterns.flatMap { pattern -> [Rule] in
        guard let include = pattern["include"] as? String else { return [try Rule(pattern)] }
        let group = try #require(repository[String(include.dropFirst())], "there is no \(include)")
        return try rules(try #require(group["patterns"] as? [[String: Any]]))
      }
    }
    top = try rules(try #require(source["patterns"] as? [[String: Any]]))
    var inner: [ObjectIdentifier: [Rule]] = [:]
    // Rules within rules have no further ones that begin and end, but strings and comments.
    func resolve(_ found: [Rule]) throws {
      for rule in found where inner[ObjectIdentifier(rule)] == nil {
        let own = try rules(rule.patterns)
        inner[ObjectIdentifier(rule)] = own
        kept += own
        try resolve(own)
      }
    }
    var kept: [Rule] = []
    try resolve(top)
    self.inner = inner
    self.kept = kept
  }

  /// What `inner` names must live.
  private let kept: [Rule]

  /// The innermost scope of each UTF-16 code unit of a text; an empty one where there is none.
  func scopes(of text: String) -> [String] {
    let whole = text as NSString
    var scopes = [String](repeating: "", count: whole.length)
    var stack: [Rule] = []
    var start = 0
    while start < whole.length {
      let line = whole.lineRange(for: NSRange(location: start, length: 0))
      var length = line.length
      while length > 0, [10, 13].contains(whole.character(at: start + length - 1)) { length -= 1 }
      // A line by itself, so that `$` is its end.
      let content = whole.substring(with: NSRange(location: start, length: length)) as NSString
      var found = [String](repeating: "", count: length)
      scan(content, 0, length, &stack, &found)
      scopes.replaceSubrange(start..<start + length, with: found)
      start += line.length
    }
    return scopes
  }

  private func scan(_ text: NSString, _ start: Int, _ end: Int, _ stack: inout [Rule], _ scopes: inout [String]) {
    var place = start
    var lastEmpty = -1
    while place <= end {
      let range = NSRange(location: place, length: end - place)
      var best: (match: NSTextCheckingResult, rule: Rule?)?
      func find(_ expression: NSRegularExpression?, _ rule: Rule?) {
        guard let match = expression?.firstMatch(in: text as String, options: .withTransparentBounds, range: range)
        else { return }
        if best.map({ match.range.location < $0.match.range.location }) ?? true { best = (match, rule) }
      }
      find(stack.last?.end, nil)
      for rule in stack.last.map({ inner[ObjectIdentifier($0)] ?? [] }) ?? top { find(rule.match, rule) }
      let name = stack.last?.name ?? ""
      guard let (match, rule) = best else {
        fill(&scopes, place, end, name)
        return
      }
      fill(&scopes, place, match.range.location, name)
      let after = match.range.location + match.range.length
      if let rule {
        fill(&scopes, match.range.location, after, rule.name ?? name)
        for (number, capture) in rule.captures where match.range(at: number).location != NSNotFound {
          let part = match.range(at: number)
          fill(&scopes, part.location, part.location + part.length, capture)
        }
        if rule.end != nil { stack.append(rule) }
      } else {
        fill(&scopes, match.range.location, after, name)
        stack.removeLast()
      }
      if after == place {
        guard lastEmpty != place else { return }
        lastEmpty = place
      }
      place = after
    }
  }

  private func fill(_ scopes: inout [String], _ start: Int, _ end: Int, _ scope: String) {
    for index in start..<max(start, end) { scopes[index] = scope }
  }
}
