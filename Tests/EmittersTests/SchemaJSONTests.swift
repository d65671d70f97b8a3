import Emitters
import FBSParser
import FBSSchema
import Foundation
import Testing

@Suite("Schemas as JSON")
struct SchemaJSONTests {
  @Test("A schema as JSON has its attributes, namespaces, comments, types and defaults")
  func form() throws {
    let text = """
      attribute "x";
      namespace N;
      /// A colour.
      enum Color: ulong { Red, Last = 18446744073709551615 }
      struct P { a: byte; b: [int: 2]; }
      table T { c: [Color]; s: string (required, x: "\\"q\\""); o: bool = null; d: double = -inf; u: U; }
      union U { T, p: P }
      rpc_service S { m(T): T (streaming: "none"); }
      root_type T;
      """
    #expect(try emit("json", text) == Self.expected)
  }

  @Test(
    "A schema as JSON is valid JSON, whatever strings are in it",
    arguments: ["\\u0001\\t\\n", "\\\\\\\"", "größe \\uD83D\\uDE00", ""])
  func isJSON(_ string: String) throws {
    let text =
      "attribute \"x\"; table T (x: \"\(string)\") { a: string; b: float = nan; c: ulong = 18446744073709551615; }"
    let object = try JSONSerialization.jsonObject(with: Data(emit("json", text).utf8)) as? [String: Any]
    let tables = object?["tables"] as? [[String: Any]]
    let attributes = tables?.first?["attributes"] as? [[String: Any]]
    let expected = try JSONSerialization.jsonObject(with: Data("[\"\(string)\"]".utf8)) as? [String]
    #expect(expected != nil)
    #expect(attributes?.first?["value"] as? String == expected?.first)
    let fields = tables?.first?["fields"] as? [[String: Any]]
    #expect(fields?[1]["default"] as? String == "nan")
    #expect((fields?[2]["default"] as? NSNumber)?.uint64Value == .max)
  }

  private static let expected = #"""
    {
      "formatVersion": 1,
      "file": "test.fbs",
      "rootTable": "N.T",
      "fileIdentifier": null,
      "fileExtension": null,
      "files": [
        {
          "path": "test.fbs",
          "includes": [],
          "declaredAttributes": ["x"]
        }
      ],
      "enums": [
        {
          "name": "N.Color",
          "file": "test.fbs",
          "documentation": [
            " A colour."
          ],
          "attributes": [],
          "underlyingType": "uint64",
          "isBitFlags": false,
          "values": [
            {
              "name": "Red",
              "number": 0,
              "documentation": [],
              "attributes": []
            },
            {
              "name": "Last",
              "number": 18446744073709551615,
              "documentation": [],
              "attributes": []
            }
          ]
        }
      ],
      "structs": [
        {
          "name": "N.P",
          "file": "test.fbs",
          "documentation": [],
          "attributes": [],
          "size": 12,
          "alignment": 4,
          "fields": [
            {
              "name": "a",
              "type": {"kind": "int8"},
              "offset": 0,
              "documentation": [],
              "attributes": []
            },
            {
              "name": "b",
              "type": {"kind": "array", "count": 2, "element": {"kind": "int32"}},
              "offset": 4,
              "documentation": [],
              "attributes": []
            }
          ]
        }
      ],
      "tables": [
        {
          "name": "N.T",
          "file": "test.fbs",
          "documentation": [],
          "attributes": [],
          "slotCount": 6,
          "fields": [
            {
              "name": "c",
              "id": 0,
              "type": {"kind": "vector", "element": {"kind": "enum", "name": "N.Color"}},
              "presence": "optional",
              "default": null,
              "isDeprecated": false,
              "documentation": [],
              "attributes": []
            },
            {
              "name": "s",
              "id": 1,
              "type": {"kind": "string"},
              "presence": "required",
              "default": null,
              "isDeprecated": false,
              "documentation": [],
              "attributes": [
                {"name": "required", "value": null},
                {"name": "x", "value": "\"q\""}
              ]
            },
            {
              "name": "o",
              "id": 2,
              "type": {"kind": "bool"},
              "presence": "optional",
              "default": null,
              "isDeprecated": false,
              "documentation": [],
              "attributes": []
            },
            {
              "name": "d",
              "id": 3,
              "type": {"kind": "double"},
              "presence": "defaulted",
              "default": "-inf",
              "isDeprecated": false,
              "documentation": [],
              "attributes": []
            },
            {
              "name": "u",
              "id": 5,
              "type": {"kind": "union", "name": "N.U"},
              "presence": "optional",
              "default": null,
              "isDeprecated": false,
              "documentation": [],
              "attributes": []
            }
          ]
        }
      ],
      "unions": [
        {
          "name": "N.U",
          "file": "test.fbs",
          "documentation": [],
          "attributes": [],
          "underlyingType": "uint8",
          "members": [
            {
              "name": "T",
              "code": 1,
              "type": {"kind": "table", "name": "N.T"},
              "documentation": [],
              "attributes": []
            },
            {
              "name": "p",
              "code": 2,
              "type": {"kind": "struct", "name": "N.P"},
              "documentation": [],
              "attributes": []
            }
          ]
        }
      ],
      "services": [
        {
          "name": "N.S",
          "file": "test.fbs",
          "documentation": [],
          "attributes": [],
          "methods": [
            {
              "name": "m",
              "request": "N.T",
              "response": "N.T",
              "documentation": [],
              "attributes": [
                {"name": "streaming", "value": "none"}
              ]
            }
          ]
        }
      ]
    }

    """#
}
