/// Writes a FlatBuffer from its end to its front, byte for byte as the C++ library does, for objects whose types are known
/// only from a schema.
///
/// An offset counts from the end of the buffer, as that end does not move.
struct BackwardBuilder {
  /// The bytes, the last one first.
  private var reversed: [UInt8] = []
  private var vtables: [[UInt8]: Int] = [:]
  private var sharedStrings: [[UInt8]: Int] = [:]
  private var fields: [(slot: Int, offset: Int)] = []
  /// The largest alignment of anything written so far.
  private(set) var minimumAlignment = 1

  /// The offset of what was written last.
  var count: Int { reversed.count }

  // MARK: Bytes

  /// Writes zeros so that what follows, of so many bytes, starts aligned.
  mutating func align(to alignment: Int, before size: Int = 0) {
    minimumAlignment = max(minimumAlignment, alignment)
    reversed += repeatElement(0, count: -(count + size) & (alignment - 1))
  }

  mutating func push(_ bytes: some BidirectionalCollection<UInt8>) { reversed += bytes.reversed() }

  /// Writes a number of some bytes, aligned to its size.
  mutating func push(_ bits: UInt64, size: Int) {
    align(to: size)
    for place in (0..<size).reversed() { reversed.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place))) }
  }

  /// Writes the distance to what stands at an offset.
  mutating func push(distanceTo offset: Int, size: Int = 4) {
    align(to: size)
    push(UInt64(count - offset + size), size: size)
  }

  // MARK: Strings and vectors

  mutating func string(_ bytes: [UInt8], isShared: Bool) -> Int {
    if isShared, let known = sharedStrings[bytes] { return known }
    align(to: 4, before: bytes.count + 1)
    reversed.append(0)
    push(bytes)
    push(UInt64(bytes.count), size: 4)
    if isShared { sharedStrings[bytes] = count }
    return count
  }

  /// Aligns a vector whose elements are then written, the last one first.
  mutating func startVector(count: Int, elementSize: Int, alignment: Int, isWide: Bool = false) {
    // As in C++, a vector of nothing is aligned for its length alone.
    guard count > 0 else { return }
    align(to: isWide ? 8 : 4, before: count * elementSize)
    align(to: alignment, before: count * elementSize)
  }

  mutating func endVector(count: Int, isWide: Bool = false) -> Int {
    push(UInt64(count), size: isWide ? 8 : 4)
    return self.count
  }

  /// A vector of bytes, whose first one stands aligned.
  mutating func bytes(_ bytes: [UInt8], alignment: Int, isWide: Bool = false) -> Int {
    if !bytes.isEmpty { align(to: alignment, before: bytes.count) }
    startVector(count: bytes.count, elementSize: 1, alignment: 1, isWide: isWide)
    push(bytes)
    return endVector(count: bytes.count, isWide: isWide)
  }

  // MARK: Tables

  /// Notes that what was written last is the field of a slot.
  mutating func track(slot: Int) { fields.append((slot, count)) }

  /// Ends the table whose fields were written since the builder had `start` bytes.
  /// - Returns: nil if it has more bytes than a vtable can say.
  mutating func endTable(_ start: Int) -> Int? {
    push(0, size: 4)
    let table = count
    let size = table - start
    guard size <= Int(UInt16.max) else { return nil }
    let length = max(4, (fields.map(\.slot).max() ?? 2) + 2)
    var vtable = [UInt8](repeating: 0, count: length)
    func set(_ value: Int, at slot: Int) {
      vtable[slot] = UInt8(truncatingIfNeeded: value)
      vtable[slot + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }
    set(length, at: 0)
    set(size, at: 2)
    for field in fields { set(table - field.offset, at: field.slot) }
    fields.removeAll(keepingCapacity: true)
    let place = vtables[vtable] ?? count + length
    if vtables.updateValue(place, forKey: vtable) == nil { push(vtable) }
    // The offset from the table back to its vtable, which is larger the nearer to the front the vtable stands.
    let bits = UInt32(bitPattern: Int32(truncatingIfNeeded: place - table))
    for byte in 0..<4 { reversed[table - 1 - byte] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte)) }
    return table
  }

  // MARK: What was written

  /// A number that was written at an offset.
  func number(at offset: Int, size: Int) -> UInt64 {
    (0..<size).reduce(0) { $0 | UInt64(reversed[offset - 1 - $1]) << UInt64(8 * $1) }
  }

  /// The bytes of a string that was written at an offset.
  func string(at offset: Int) -> [UInt8] {
    let length = Int(number(at: offset, size: 4))
    return reversed[(offset - 4 - length)..<(offset - 4)].reversed()
  }

  /// Where the field of a slot stands in a table that was written at an offset. Nothing if it is absent.
  func field(_ slot: Int, ofTableAt table: Int) -> Int? {
    let vtable = table + Int(Int32(truncatingIfNeeded: number(at: table, size: 4)))
    guard slot + 2 <= Int(number(at: vtable, size: 2)) else { return nil }
    let distance = Int(number(at: vtable - slot, size: 2))
    return distance == 0 ? nil : table - distance
  }

  /// The bytes of the buffer, with a table as its root.
  mutating func finish(_ root: Int, identifier: String?, sizePrefixed: Bool) -> [UInt8] {
    align(to: max(4, minimumAlignment), before: (sizePrefixed ? 4 : 0) + 4 + (identifier == nil ? 0 : 4))
    if let identifier { push(Array(identifier.utf8)) }
    push(distanceTo: root)
    if sizePrefixed { push(UInt64(count), size: 4) }
    return reversed.reversed()
  }
}
