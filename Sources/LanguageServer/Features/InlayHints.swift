import FBSDiagnostics
import FBSSchema

struct InlayHint: Encodable {
  var position: TextPosition
  var label: String
  var paddingLeft = true
  var tooltip: String?
}

extension DocumentContext {
  /// Returns hints for implicit numbers: the ids of fields, the numbers of enums' values and the type codes of unions'
  /// members.
  func inlayHints(in range: TextRange) -> [InlayHint] {
    let (start, end) = (text.offset(of: range.start), text.offset(of: range.end))
    var hints: [InlayHint] = []
    func add(_ offset: Int, _ label: String, _ tooltip: String) {
      guard (start...max(start, end)).contains(offset) else { return }
      hints.append(InlayHint(position: text.position(of: offset), label: label, tooltip: tooltip))
    }
    for definition in schema[file].definitions {
      switch definition {
      case .structure: break
      case .table(let id):
        for field in schema[id].fields where !field.declaration.has("id") {
          let place = field.declaration.valueRange ?? field.declaration.typeRange ?? field.declaration.nameRange
          add(place.end, "id: \(field.id)", "The id that the field has by its position")
        }
      case .enumeration(let id):
        for value in schema[id].names where value.declaration.valueRange == nil {
          let number =
            schema[id].underlyingType == .uint64
            ? String(UInt64(bitPattern: value.number)) : String(value.number)
          add(value.declaration.nameRange.end, "= \(number)", "The number that the value has by counting on")
        }
      case .union(let id):
        for member in schema[id].members where member.declaration.valueRange == nil {
          let place = member.declaration.typeRange ?? member.declaration.nameRange
          add(place.end, "= \(member.codeText)", "The type code that the member has by counting on")
        }
      }
    }
    return hints.sorted { $0.position < $1.position }
  }
}
