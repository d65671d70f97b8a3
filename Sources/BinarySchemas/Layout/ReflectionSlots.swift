/// The slots of the tables that make up a binary schema (.bfbs), as offsets in a vtable, for its writer and its reader.
package enum ReflectionSlot {
  package enum Schema {
    package static let objects: UInt16 = 4
    package static let enums: UInt16 = 6
    package static let fileIdentifier: UInt16 = 8
    package static let fileExtension: UInt16 = 10
    package static let rootTable: UInt16 = 12
    package static let services: UInt16 = 14
    package static let advancedFeatures: UInt16 = 16
    package static let files: UInt16 = 18
  }

  package enum File {
    package static let path: UInt16 = 4
    package static let includes: UInt16 = 6
  }

  package enum Object {
    package static let name: UInt16 = 4
    package static let fields: UInt16 = 6
    package static let isStruct: UInt16 = 8
    package static let alignment: UInt16 = 10
    package static let size: UInt16 = 12
    package static let attributes: UInt16 = 14
    package static let documentation: UInt16 = 16
    package static let file: UInt16 = 18
  }

  package enum Field {
    package static let name: UInt16 = 4
    package static let type: UInt16 = 6
    package static let id: UInt16 = 8
    package static let offset: UInt16 = 10
    package static let defaultInteger: UInt16 = 12
    package static let defaultReal: UInt16 = 14
    package static let isDeprecated: UInt16 = 16
    package static let isRequired: UInt16 = 18
    package static let isKey: UInt16 = 20
    package static let attributes: UInt16 = 22
    package static let documentation: UInt16 = 24
    package static let isOptional: UInt16 = 26
    package static let padding: UInt16 = 28
    /// Whether the field has a 64-bit offset. Exists since FlatBuffers 23; older readers ignore it.
    package static let hasWideOffset: UInt16 = 30
  }

  package enum TypeInfo {
    package static let base: UInt16 = 4
    package static let element: UInt16 = 6
    package static let index: UInt16 = 8
    package static let fixedLength: UInt16 = 10
    package static let baseSize: UInt16 = 12
    package static let elementSize: UInt16 = 14
  }

  package enum Enum {
    package static let name: UInt16 = 4
    package static let values: UInt16 = 6
    package static let isUnion: UInt16 = 8
    package static let underlyingType: UInt16 = 10
    package static let attributes: UInt16 = 12
    package static let documentation: UInt16 = 14
    package static let file: UInt16 = 16
  }

  package enum Value {
    package static let name: UInt16 = 4
    package static let number: UInt16 = 6
    package static let unionType: UInt16 = 10
    package static let documentation: UInt16 = 12
    /// The attributes of an enum's value. Exists since FlatBuffers 23; older readers ignore it.
    package static let attributes: UInt16 = 14
  }

  package enum Service {
    package static let name: UInt16 = 4
    package static let calls: UInt16 = 6
    package static let attributes: UInt16 = 8
    package static let documentation: UInt16 = 10
    package static let file: UInt16 = 12
  }

  package enum Call {
    package static let name: UInt16 = 4
    package static let request: UInt16 = 6
    package static let response: UInt16 = 8
    package static let attributes: UInt16 = 10
    package static let documentation: UInt16 = 12
  }

  package enum Attribute {
    package static let key: UInt16 = 4
    package static let value: UInt16 = 6
  }
}
