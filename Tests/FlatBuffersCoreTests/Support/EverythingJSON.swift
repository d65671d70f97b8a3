// JSON text for flatc. It has every value, including defaults, so that flatc decides what to omit.

func json(_ string: String) -> String {
  var text = "\""
  for scalar in string.unicodeScalars {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case _ where scalar.value < 32:
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text + "\""
}

func json(_ members: [(String, String?)]) -> String {
  "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
}

func json<Element>(_ elements: [Element], _ each: (Element) -> String) -> String {
  "[" + elements.map(each).joined(separator: ",") + "]"
}

extension Vec3 {
  var json: String { "{\"x\":\(x),\"y\":\(y),\"z\":\(z)}" }
}

extension Mixed {
  var json: String {
    "{\"flag\":\(flag),\"at\":\(at.json),\"id\":\(id),\"small\":\(small),\"codes\":\(codes)}"
  }
}

extension Leaf {
  var json: String {
    FlatBuffersCoreTests.json([("name", name.map { FlatBuffersCoreTests.json($0) }), ("value", "\(value)")])
  }
}

extension Node {
  var json: String {
    FlatBuffersCoreTests.json([
      ("label", label.map { FlatBuffersCoreTests.json($0) }),
      ("children", children.map { FlatBuffersCoreTests.json($0, \.json) }),
    ])
  }
}

extension AnyMember {
  var json: String {
    switch self {
    case .leaf(let leaf): leaf.json
    case .node(let node): node.json
    case .point(let point): point.json
    case .text(let text): FlatBuffersCoreTests.json(text)
    }
  }

  var typeName: String { ["NONE", "Leaf", "Node", "Vec3", "text"][Int(code)] }
}

extension Everything {
  var json: String {
    func text(_ string: String) -> String { FlatBuffersCoreTests.json(string) }
    func list<T>(_ elements: [T], _ each: (T) -> String) -> String { FlatBuffersCoreTests.json(elements, each) }
    return FlatBuffersCoreTests.json([
      ("b", "\(b)"), ("i8", "\(i8)"), ("i16", "\(i16)"), ("i32", "\(i32)"), ("i64", "\(i64)"), ("u8", "\(u8)"),
      ("u16", "\(u16)"), ("u32", "\(u32)"), ("u64", "\(u64)"), ("f32", "\(f32)"), ("f64", "\(f64)"),
      ("maybe_bool", maybeBool.map { "\($0)" }), ("maybe_int", maybeInt.map { "\($0)" }),
      ("maybe_double", maybeDouble.map { "\($0)" }), ("answer", "\(answer)"), ("half", "\(half)"),
      ("name", text(name)), ("alias", alias.map(text)), ("kind", "\(kind.rawValue)"),
      ("position", position?.json), ("mixed", mixed?.json),
      ("bytes", bytes.map { "\($0)" }), ("shorts", shorts.map { "\($0)" }), ("longs", longs.map { "\($0)" }),
      ("doubles", doubles.map { "\($0)" }), ("bools", bools.map { "\($0)" }),
      ("kinds", kinds.map { list($0) { "\($0.rawValue)" } }), ("strings", strings.map { list($0, text) }),
      ("points", points.map { list($0, \.json) }), ("mixes", mixes.map { list($0, \.json) }),
      ("leaves", leaves.map { list($0, \.json) }), ("leaf", leaf?.json), ("node", node?.json),
      ("any_type", any.map { "\"\($0.typeName)\"" }), ("any", any?.json),
      ("anys_type", anys.map { list($0) { "\"\($0.typeName)\"" } }), ("anys", anys.map { list($0, \.json) }),
      ("nested", nested?.json),
    ])
  }
}
