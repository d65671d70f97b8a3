import Foundation
import TestSupport
import Testing

@Suite("The JSON of views")
struct ViewJSONTests {
  private static let objects: [(fixture: String, type: String, table: String, json: [String])] = [
    (
      "contents", "Page", "page",
      [
        """
        {"number": 3, "cover_type": "Text", "cover": "hé", "items_type": ["Note", "Point", "Link"],
          "items": [{"text": "a", "stars": 3}, {"x": 1, "y": 2}, "l"], "extras_type": ["Warning"],
          "extras": [{"stars": -1}], "letter": {"text": "nested", "stars": 4}, "wide": {"wide": {"value": 0.5}},
          "section": {"title": "t", "items_type": ["Text"], "items": ["x"], "sections": [{"title": "in"}]}}
        """,
        "{\"number\": -3, \"extras_type\": [], \"extras\": [], \"letter\": {}}",
      ]
    ),
    (
      "optionals", "Survey", "survey",
      [
        """
        {"number": 1, "title": "t", "adult": false, "siblings": -1, "account": 18446744073709551615, "mood": "Tense",
          "home": {"x": 1, "y": "nan"}, "remark": {"author": "a", "mood": "Calm", "likes": 4294967295},
          "proof_type": "Place", "proof": {"x": "-inf", "y": 2}, "remarks": [{"text": "r"}, {}]}
        """,
        "{\"number\": 0}",
      ]
    ),
    (
      "offset64", "Archive", "archive",
      [
        """
        {"id": 1, "text": "abc", "label": "l", "blob": [1, 255], "far": [], "reals": [1.5, "inf"], "near": "n",
          "points": [{"x": 1, "y": 2}], "far_points": [{"x": 1, "y": 2}], "letter": {"title": "T", "samples": [1, -2]},
          "copy": {"near": "c"}, "chapter": {"title": "x", "samples": [5]}, "chapters": [{"title": "q"}, {}],
          "part_type": "Note", "part": "s", "parts_type": ["Chapter", "Plain"],
          "parts": [{"title": "9"}, {"text": "8"}], "entries": [{"name": "k", "count": 3, "next": {"name": "z"}}]}
        """
      ]
    ),
    (
      "wide-unions", "Page", "page",
      [
        """
        {"number": 3, "cover_type": "Text", "cover": "hé", "items_type": ["Warning", "Text"], "items": [{"stars": 3}, "x"],
          "small_type": "Text", "small": "s", "signed_type": "Note", "signed": {"text": "a", "stars": -3},
          "signs_type": ["Point"], "signs": [{"x": 1, "y": 2}], "far_type": "Link", "far": "f", "fars_type": ["Note"],
          "fars": [{"stars": 1}]}
        """
      ]
    ),
    (
      "recursive", "Outline", "outline",
      [
        """
        {"id": 1, "first": {"name": "a", "next": {"name": "b"}, "children": [{"name": "c"}]},
          "pair": {"left": {"number": 1, "pair": {"left": {}}}}, "term_type": "Sum",
          "term": {"left_type": "Number", "left": {"value": 7}}, "parent": {"id": 2, "parent": {"id": 3}}}
        """
      ]
    ),
    (
      "namespaces", "Zoo.Animals.Animal", "zoo__animals__animal",
      [
        """
        {"id": 1, "name": {"first": "f"}, "home_type": "Zoo_Cage", "home": {"number": 3, "door_open": true},
          "friends": [{"last": "l"}], "parents": [{"mother": {"first": "m"}, "children": [{}]}]}
        """,
        "{\"id\": 2, \"name\": {}, \"diet\": \"Plants\", \"home_type\": \"Nickname\", \"home\": \"n\"}",
      ]
    ),
    (
      "codable", "Photo", "photo",
      [
        """
        {"title": "t", "number": 7, "maybe_mood": "NORMAL", "rights": "Read Write", "ratio": -2.5, "default": "x",
          "track": {"start": {"x": 1, "y": 2}, "sky": "Grey", "samples": [1, 2, 3], "skies": ["Clear", "Grey"]},
          "origin": {"x": 0, "y": 0}, "caption": {"text": "c", "language": "de"}, "content_type": "Empty", "content": {},
          "numbers": [18446744073709551615], "moods": ["Calm", 9], "captions": [{"text": "d", "language": "fr"}]}
        """
      ]
    ),
    (
      "aliases", "Paint", "paint",
      ["{\"name\": \"n\", \"shade\": \"Lightest\", \"options\": \"Gift Fast\", \"coats\": [\"Gray\", \"White\", 77]}"]
    ),
  ]

  /// JSON in which what is absent, empty or of no type is left out, with sorted names and numbers as doubles.
  private static func canonical(_ value: Any) -> String {
    switch value {
    case let members as [String: Any]:
      let shown = members.filter { !$0.key.contains(".") && $0.key != "rowid" }
        .mapValues(canonical).filter { !["null", "[]", "\"NONE\"", "\"\\\\x\""].contains($0.value) }
      return "{" + shown.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    case let elements as [Any]: return "[" + elements.map(canonical).joined(separator: ", ") + "]"
    case let text as String: return "\"" + text.replacingOccurrences(of: "\\", with: "\\\\") + "\""
    case let number as NSNumber: return "\(number.doubleValue)"
    default: return "null"
    }
  }

  @Test("Structs, tables, vectors and unions are the JSON that dflatc inspect shows", arguments: objects.indices)
  func sameAsInspect(index: Int) throws {
    let (name, type, table, objects) = Self.objects[index]
    let database = try TestDatabase()
    try database.run(try setupScript("--views", fixture(name)))
    try withTemporaryFolder { folder in
      for object in objects {
        try Data(object.utf8).write(to: folder.appendingPathComponent("object.json"))
        let result = try runProgram(
          dflatc, ["convert", fixture(name), "object.json", "-o", "object.bin"], in: folder)
        try #require(result.isSuccess, "\(String(decoding: result.error, as: UTF8.self))")
        let bytes = try Data(contentsOf: folder.appendingPathComponent("object.bin"))
        try database.sql("INSERT INTO \(table) (p) VALUES ('\(hexadecimal(Array(bytes)))')")
      }
    }
    let inspected = try inspect(database, "--schema", fixture(name), type, "--format", "jsonl")
    try #require(inspected.isSuccess, "\(String(decoding: inspected.error, as: UTF8.self))")
    let expected = String(decoding: inspected.output, as: UTF8.self).split(separator: "\n")
    let rows = try database.sql("SELECT to_jsonb(v) FROM \(table)_view v ORDER BY rowid").split(separator: "\n")
    try #require(rows.count == objects.count && expected.count == objects.count)
    for (row, expected) in zip(rows, expected) {
      var shown = try #require(JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
      let object = try #require(JSONSerialization.jsonObject(with: Data(expected.utf8)) as? [String: Any])
      // Bytes are no list in a column.
      for name in ["blob", "far"] where object[name] != nil && type == "Archive" {
        let bytes = (object[name] as? [Any])?.compactMap { ($0 as? NSNumber)?.uint8Value } ?? []
        #expect(shown[name] as? String == hexadecimal(bytes))
        shown[name] = object[name]
      }
      #expect(Self.canonical(shown) == Self.canonical(object))
    }
  }
}
