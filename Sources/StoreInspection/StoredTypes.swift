import FBSParser
import FBSSchema
import FlatBuffersJSON

/// The types of a store, by its schema, and how their objects are read.
package struct StoredTypes {
  /// The types of the schema that a store has.
  package let types: [StoredType]
  /// The type whose objects are the entries of the dictionary.
  package let dictionary: StoredType
  private let converter: FlatBufferJSON
  private let dictionaryConverter: FlatBufferJSON

  package init(_ schema: Schema) {
    converter = FlatBufferJSON(schema)
    types = StoredType.all(in: converter.layouts)
    dictionaryConverter = FlatBufferJSON(DictionarySchema.schema)
    dictionary = StoredType(TableID(0), dictionaryConverter.layouts)
  }

  /// Returns the layouts by which the objects of a type are read.
  package func layouts(of type: StoredType) -> SchemaLayouts { converter(of: type).layouts }

  private func converter(of type: StoredType) -> FlatBufferJSON {
    type.sqlName == dictionary.sqlName ? dictionaryConverter : converter
  }

  /// Reads an object, or the fault, from the bytes of the row `number`.
  package func read(_ bytes: [UInt8], _ type: StoredType, _ number: Int64) -> StoreInspector.Row {
    do throws(BufferFault) {
      return .object(try converter(of: type).object(bytes, as: type.table), number)
    } catch {
      return .damaged(error, number)
    }
  }
}

/// The schema of the dictionary's entries, the same in every store.
private enum DictionarySchema {
  static let schema = SchemaCompiler.compile(inputs: ["dictionary.fbs"], provider: Provider()).schema

  private struct Provider: SourceProvider {
    func read(_ path: String) throws(SourceReadError) -> [UInt8] {
      Array(
        """
        enum ValueType: byte { BoolValue, LongValue, UnsignedLongValue, FloatValue, DoubleValue, StringValue, CodableValue,
          FlatBuffersValue }
        table DictItem (v: "_dflat_internal__") {
          key: string (primary);
          namespace: string (primary);
          version: string;
          value_type: ValueType;
          bool_value: bool;
          long_value: long;
          unsigned_long_value: ulong;
          float_value: float;
          double_value: double;
          string_value: string;
          codable: [ubyte];
        }
        root_type DictItem;
        """.utf8)
    }
  }
}
