import Dflat
import FlatBuffersCore
import Golden_vectors

/// A `Basket` as a schema stores it that has an index over each vector of single values.
package final class IndexedBasket: Atom, FlatBuffersEncodable {
  package let basket: Basket
  package var id: Int32 { basket.id }
  package var _rowid: Int64 { basket._rowid }
  package var _commitVersion: UInt64 { basket._commitVersion }

  package init(_ basket: Basket) { self.basket = basket }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    basket = Basket(table, _rowid: _rowid, _commitVersion: _commitVersion)
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    basket.to(flatBufferBuilder: &builder)
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { Basket.verify(byteBuffer: byteBuffer) }

  private static func values(
    _ storage: FieldStorage, _ slot: UInt16, _ reference: RecordVector.Reference = .offset, in path: FieldPath = .root
  ) -> RecordVector { RecordVector(path, .value(storage), at: slot, reference) }

  package static let _record = RecordDescription(
    table: Basket._record.table, primaryKeys: Basket._record.primaryKeys,
    indexes: [
      RecordIndex(elementsOf: values(.string, 8), name: "tags"),
      RecordIndex(elementsOf: values(.int32, 10), name: "numbers"),
      RecordIndex(elementsOf: values(.uint64, 12), name: "big"),
      RecordIndex(elementsOf: values(.double, 14), name: "ratios"),
      RecordIndex(elementsOf: values(.bool, 16), name: "flags"),
      RecordIndex(elementsOf: values(.int8, 18), name: "levels"),
      RecordIndex(elementsOf: values(.uint16, 20), name: "marks"),
      RecordIndex(elementsOf: values(.int64, 22), name: "days"),
      RecordIndex(elementsOf: values(.int64, 24), name: "prices"),
      RecordIndex(elementsOf: values(.string, 8), folded: true, name: "tags"),
      RecordIndex(elementsOf: values(.string, 26), name: "names"),
      RecordIndex(elementsOf: values(.int32, 4, in: .root.table(at: 36)), name: "details.numbers"),
      RecordIndex(elementsOf: values(.float, 38, .offset64), name: "samples"),
      RecordIndex(elementsOf: values(.int16, 40, .vector64), name: "waveform"),
    ])

  /// Returns a condition on baskets as one on objects of this type.
  package static func query(_ condition: QueryExpression<Bool, Basket>) -> QueryExpression<Bool, IndexedBasket> {
    QueryExpression(node: condition._node)
  }
}

/// A change to the stored baskets.
package final class IndexedBasketChangeRequest: ChangeRequest {
  package var _change: RecordChange<IndexedBasket>
  package var basket: Basket

  private init(_ change: RecordChange<IndexedBasket>, _ basket: Basket) {
    _change = change
    self.basket = basket
  }

  package static func upsert(_ basket: Basket) -> IndexedBasketChangeRequest {
    IndexedBasketChangeRequest(.upsert, basket)
  }
  package static func change(_ object: IndexedBasket) -> IndexedBasketChangeRequest? {
    CurrentTransaction.latest(object).map { IndexedBasketChangeRequest(.update($0), $0.basket) }
  }
  package static func deletion(_ object: IndexedBasket) -> IndexedBasketChangeRequest? {
    CurrentTransaction.latest(object).map { IndexedBasketChangeRequest(.delete($0), $0.basket) }
  }

  package func _object(_rowid: Int64) -> IndexedBasket {
    IndexedBasket(Basket(_values: basket._values, _rowid: _rowid))
  }
}
