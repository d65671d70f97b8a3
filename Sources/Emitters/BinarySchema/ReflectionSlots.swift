import FlatBuffersCore

/// The slots of the tables that make up a binary schema.
enum Slot {
  enum Schema {
    static let objects: VTableOffset = 4
    static let enums: VTableOffset = 6
    static let fileIdentifier: VTableOffset = 8
    static let fileExtension: VTableOffset = 10
    static let rootTable: VTableOffset = 12
    static let services: VTableOffset = 14
    static let advancedFeatures: VTableOffset = 16
    static let files: VTableOffset = 18
  }

  enum File {
    static let path: VTableOffset = 4
    static let includes: VTableOffset = 6
  }

  enum Object {
    static let name: VTableOffset = 4
    static let fields: VTableOffset = 6
    static let isStruct: VTableOffset = 8
    static let alignment: VTableOffset = 10
    static let size: VTableOffset = 12
    static let attributes: VTableOffset = 14
    static let documentation: VTableOffset = 16
    static let file: VTableOffset = 18
  }

  enum Field {
    static let name: VTableOffset = 4
    static let type: VTableOffset = 6
    static let id: VTableOffset = 8
    static let offset: VTableOffset = 10
    static let defaultInteger: VTableOffset = 12
    static let defaultReal: VTableOffset = 14
    static let isDeprecated: VTableOffset = 16
    static let isRequired: VTableOffset = 18
    static let isKey: VTableOffset = 20
    static let attributes: VTableOffset = 22
    static let documentation: VTableOffset = 24
    static let isOptional: VTableOffset = 26
    static let padding: VTableOffset = 28
    /// Since FlatBuffers 23: readers before it pass over it.
    static let hasWideOffset: VTableOffset = 30
  }

  enum TypeInfo {
    static let base: VTableOffset = 4
    static let element: VTableOffset = 6
    static let index: VTableOffset = 8
    static let fixedLength: VTableOffset = 10
    static let baseSize: VTableOffset = 12
    static let elementSize: VTableOffset = 14
  }

  enum Enum {
    static let name: VTableOffset = 4
    static let values: VTableOffset = 6
    static let isUnion: VTableOffset = 8
    static let underlyingType: VTableOffset = 10
    static let attributes: VTableOffset = 12
    static let documentation: VTableOffset = 14
    static let file: VTableOffset = 16
  }

  enum Value {
    static let name: VTableOffset = 4
    static let number: VTableOffset = 6
    static let unionType: VTableOffset = 10
    static let documentation: VTableOffset = 12
    /// Since FlatBuffers 23: readers before it pass over it.
    static let attributes: VTableOffset = 14
  }

  enum Service {
    static let name: VTableOffset = 4
    static let calls: VTableOffset = 6
    static let attributes: VTableOffset = 8
    static let documentation: VTableOffset = 10
    static let file: VTableOffset = 12
  }

  enum Call {
    static let name: VTableOffset = 4
    static let request: VTableOffset = 6
    static let response: VTableOffset = 8
    static let attributes: VTableOffset = 10
    static let documentation: VTableOffset = 12
  }

  enum Attribute {
    static let key: VTableOffset = 4
    static let value: VTableOffset = 6
  }
}
