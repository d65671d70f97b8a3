/// Numbers and byte strings one after the other, as both programs write them.
package struct Chunks {
  package private(set) var bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var isAtEnd: Bool { position >= bytes.count }

  package mutating func number() -> Int {
    defer { position += 4 }
    return (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
  }

  package mutating func chunk() -> [UInt8] {
    let count = number()
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// All texts that are left.
  package mutating func rest() -> [String] {
    var texts: [String] = []
    while !isAtEnd { texts.append(text()) }
    return texts
  }

  package mutating func text() -> String { String(decoding: chunk(), as: UTF8.self) }

  package mutating func append(_ number: Int) {
    for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
  }

  package mutating func append(_ chunk: [UInt8]) {
    append(chunk.count)
    bytes += chunk
  }
}
