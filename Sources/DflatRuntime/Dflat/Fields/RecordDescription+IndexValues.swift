import FlatBuffersCore
import TextFolding

extension RecordDescription {
  /// Returns the column of an index: its position among `columns`.
  package func column(ofIndex index: Int) -> Int { primaryKeys.count + index }

  /// Returns whether a column holds folded texts. `columns` reads them unfolded, as they are in the row.
  package func isFolded(column: Int) -> Bool {
    hasFoldedIndex && column >= primaryKeys.count && indexes[column - primaryKeys.count].isFolded
  }

  /// Calls `body` with the value of a column in the row whose root is `root`: of the primary key, or of an index that is
  /// not over elements. A text is valid until `body` returns.
  package func withValue<Result>(
    ofColumn column: Int, in root: FlatBufferTable, _ body: (RowValue) throws -> Result
  ) rethrows -> Result {
    let value = columns.value(at: column, in: root)
    guard isFolded(column: column), case .text(let text) = value else { return try body(value) }
    var texts = FoldedTexts()
    defer { texts.free() }
    return try body(.text(texts.fold(text, .caseAndDiacritics)))
  }

  /// Returns whether a row has an entry in an index for which a comparison with a constant holds. The entry is the row's
  /// folded text, or each of its elements.
  ///
  /// - Parameter constant: what the entry is compared with: for an index of folded texts, a folded text.
  package func hasEntry(
    ofIndex index: Int, _ comparison: QueryNode.Comparison, _ constant: RowValue, in root: FlatBufferTable
  ) -> Bool {
    guard let reader = elementReaders[index] else {
      return withValue(ofColumn: column(ofIndex: index), in: root) { comparison.holds($0, constant) }
    }
    let elements = reader.vector.elements(from: root)
    let isFolded = indexes[index].isFolded
    return (0..<elements.count).contains { position in
      let value = reader.element.value(of: elements, at: position)
      guard isFolded, case .text(let text) = value else { return comparison.holds(value, constant) }
      var texts = FoldedTexts()
      defer { texts.free() }
      return comparison.holds(.text(texts.fold(text, .caseAndDiacritics)), constant)
    }
  }

  /// Calls `body` with the values of a row's entries in an index over elements, valid until it returns: each value once,
  /// in ascending order. A row without a value other than NULL has one entry, NULL.
  package func withElements<Result>(
    ofIndex index: Int, in root: FlatBufferTable, _ body: ([RowValue]) throws -> Result
  ) rethrows -> Result {
    guard let reader = elementReaders[index] else { return try body([.null]) }
    let elements = reader.vector.elements(from: root)
    // The memory of folded texts, to which values point.
    var folded: [UnsafeMutableRawBufferPointer] = []
    defer { for text in folded { text.deallocate() } }
    var values: [RowValue] = []
    values.reserveCapacity(elements.count)
    for position in 0..<elements.count {
      let value = reader.element.value(of: elements, at: position)
      switch value {
      case .null: break
      case .text(let text) where indexes[index].isFolded:
        guard let other = TextFolder.fold(text, .caseAndDiacritics) else {
          values.append(value)
          break
        }
        folded.append(other)
        values.append(.text(UnsafeRawBufferPointer(other)))
      default: values.append(value)
      }
    }
    values.sort { RowValue.order($0, $1) < 0 }
    var last: RowValue?
    values.removeAll { value in
      defer { last = value }
      return last.map { RowValue.order($0, value) == 0 } ?? false
    }
    return try body(values.isEmpty ? [.null] : values)
  }
}

/// The readers of the vectors that have an index over their elements, by the positions of the indexes.
package final class IndexedElements: @unchecked Sendable {
  // Unchecked because of the readers' pointers: they point into `memory`, which is constant after the initializer, and
  // which this object keeps for as long as they are used.
  private let memory: ConstantMemory
  private let readers: [Int: (vector: VectorReader, element: ElementReader)]

  init(_ indexes: [RecordIndex]) {
    var memory = ConstantMemory()
    var readers: [Int: (vector: VectorReader, element: ElementReader)] = [:]
    for (position, index) in indexes.enumerated() {
      guard let vector = index.vector, let reader = VectorReader(vector, startingAt: nil, in: &memory) else { continue }
      readers[position] = (reader, ElementReader(index.field, of: vector.element, in: &memory))
    }
    self.readers = readers
    self.memory = memory
  }

  /// The readers of an index's vector and of its elements; nil if the index is not over elements.
  subscript(index: Int) -> (vector: VectorReader, element: ElementReader)? { readers[index] }
}
