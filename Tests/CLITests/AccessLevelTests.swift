import Foundation
import TestSupport
import Testing

@Suite("Generated Swift has the access level that is asked for")
struct AccessLevelTests {
  /// Every kind of definition, with and without a namespace; some are private, and some hold one that is.
  private static let schemas = [
    "shop": """
    namespace Shop.Billing;
    enum Hidden: byte (private) { A, B }
    enum Open: byte { A, B }
    enum Flags: ubyte (bit_flags) { A, B }
    struct Point { x: float; flags: Flags; }
    struct Key { a: [Open:2]; }
    table Holder (codable) { hidden: Hidden; n: int; }
    table Nesting { bytes: [ubyte] (nested_flatbuffer: "Holder"); }
    table Line { key: Key (key); points: [Point]; next: [Line]; text: string; }
    union Part { Line, text: string }
    union HiddenPart { Line, Holder }
    table Order (codable) { id: string (primary); n: int (indexed); open: Open; part: Part; lines: [Line]; flags: Flags; }
    root_type Order;

    """,
    "secret": """
    table Secret (private) { id: int (primary); n: int (indexed); names: [string]; }
    root_type Secret;

    """,
    // Its class is the namespace of the other types.
    "hall": """
    namespace Hall;
    table Seat { number: int; }
    union Place { Seat }
    namespace Hall.Upper;
    struct Row { number: int; }
    namespace;
    table Hall (private) { id: int (primary); }
    table Ticket { seat: Hall.Seat; place: Hall.Place; row: Hall.Upper.Row; }
    root_type Hall;

    """,
    "plain": "struct Pair { a: int; b: int; }\ntable Plain { pair: Pair; }\n",
    "words": "enum Word: byte { Yes, No }\n",
  ]

  private func compile(_ arguments: [String], in folder: URL) throws {
    for (name, text) in Self.schemas { try folder.write(text, to: name + ".fbs") }
    let result = try run(
      productsFolder.appending(path: "dflatc"),
      ["compile", "-o", "out", "--emit", "accessors,data-model,mutating,query,editors"] + arguments
        + Self.schemas.keys.sorted().map { $0 + ".fbs" }, in: folder)
    try #require(result.status == 0, "\(result.error)")
  }

  /// The declarations with an access level, by the name of what they declare.
  private func levels(in folder: URL) throws -> [String: String] {
    var levels: [String: String] = [:]
    for name in try folder.appending(path: "out").names() {
      let text = try String(contentsOf: folder.appending(path: "out/\(name)"), encoding: .utf8)
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let kind = words.firstIndex(where: { ["struct", "class", "enum"].contains($0) }), kind + 1 < words.count,
          !line.contains("//")
        else { continue }
        let level = words[..<kind].first { ["public", "package"].contains($0) }.map(String.init) ?? "internal"
        levels[String(words[kind + 1].prefix { $0.isLetter })] = level
      }
    }
    return levels
  }

  @Test("A private type is internal, and so is each type that holds one or is in one; others have the level of the run")
  func levels() throws {
    for (option, level) in [
      ([], "public"), (["--access", "package"], "package"), (["--access", "internal"], "internal"),
    ] {
      try withFolder { folder in
        try compile(option, in: folder)
        let levels = try levels(in: folder)
        for name in [
          "Hidden", "Holder", "HolderReader", "Nesting", "HiddenPart", "Secret", "SecretBuilder", "Hall", "Seat",
          "SeatReader", "Place", "Upper", "Row", "Ticket",
        ] {
          #expect(levels[name] == "internal", "\(name)")
        }
        for name in ["Open", "Point", "Line", "LineEditor", "Part", "Order", "OrderChangeRequest", "Shop", "Billing"] {
          #expect(levels[name] == level, "\(name)")
        }
      }
    }
  }

  @Test(
    "The Swift compiles at each level without a warning, whatever features the module enables",
    arguments: ["internal", "package", "public"])
  func compiles(level: String) throws {
    try withFolder { folder in
      try compile(["--access", level], in: folder)
      // An app imports the modules in its own way.
      try folder.write("import Dflat\nfunc first() -> Limit { .limit(1) }\n", to: "out/app.swift")
      let out = folder.appending(path: "out")
      let files = try out.names().filter { $0.hasSuffix(".swift") }
      let options = ["-warnings-as-errors", "-package-name", "shop"]
      let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].flatMap {
        ["-enable-upcoming-feature", $0]
      }
      let plain = try typecheck(files, in: out, more: options)
      #expect(plain.status == 0, "\(plain.error.prefix(2_000))")
      let strict = try typecheck(
        files.filter { $0 != "app.swift" }, in: out, isolation: "MainActor", more: options + features)
      #expect(strict.status == 0, "\(strict.error.prefix(2_000))")
    }
  }

  @Test("A file of options sets the level, which the command's own option overrides")
  func optionsFile() throws {
    try withFolder { folder in
      try folder.write(#"{ "access": "package" }"#, to: "dflatc.json")
      try compile(["--options", "dflatc.json"], in: folder)
      #expect(try levels(in: folder)["Order"] == "package")
      try compile(["--options", "dflatc.json", "--access", "public"], in: folder)
      #expect(try levels(in: folder)["Order"] == "public")
      try folder.write(#"{ "access": "open" }"#, to: "dflatc.json")
      let wrong = try dflatc("compile", "-o", "out", "--options", "dflatc.json", "words.fbs", in: folder)
      #expect(wrong.status == 2 && wrong.error.contains(#"write "internal", "package" or "public""#), "\(wrong.error)")
    }
  }
}
