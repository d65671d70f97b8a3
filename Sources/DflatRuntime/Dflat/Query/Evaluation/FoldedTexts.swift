import TextFolding

/// The folded texts of one evaluation, each folded once, and the texts of UUIDs, in their own memory.
///
/// Values of the evaluation point to the texts, so the texts are freed after the last use of the result. They are a
/// plain list: a row has few texts, and the list must cost nothing for programs that fold none.
struct FoldedTexts {
  fileprivate struct Node {
    let text: UnsafeRawBufferPointer
    /// The folding; nil if `text` is the bytes of a UUID, and `folded` is the UUID's text.
    let folding: QueryNode.Folding?
    /// The result of folding `text`, which is `text` itself if nothing changes.
    let folded: UnsafeRawBufferPointer
    let next: UnsafeMutablePointer<Node>?
  }

  private var first: UnsafeMutablePointer<Node>?

  // Inlined for the benchmark row "fetch by a part, without case and accents": most texts are ASCII without capital
  // letters, and need no call. What other texts need stays out of line.
  /// Returns the folding of a text, which is valid until `free` is called.
  @inline(__always)
  mutating func fold(_ text: UnsafeRawBufferPointer, _ folding: QueryNode.Folding) -> UnsafeRawBufferPointer {
    TextFolder.plainCount(of: text) == text.count ? text : foldOther(text, folding)
  }

  @inline(never)
  private mutating func foldOther(
    _ text: UnsafeRawBufferPointer, _ folding: QueryNode.Folding
  ) -> UnsafeRawBufferPointer {
    var next = first
    while let node = next {
      let known = node.pointee
      if known.text.baseAddress == text.baseAddress, known.text.count == text.count, known.folding == folding {
        return known.folded
      }
      next = known.next
    }
    let folded = TextFolder.fold(text, folding.differences).map { UnsafeRawBufferPointer($0) } ?? text
    add(text, folding, folded)
    return folded
  }

  private mutating func add(
    _ text: UnsafeRawBufferPointer, _ folding: QueryNode.Folding?, _ folded: UnsafeRawBufferPointer
  ) {
    let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
    node.initialize(to: Node(text: text, folding: folding, folded: folded, next: first))
    first = node
  }

  /// Returns the text of a UUID in lowercase, given its bytes. It is valid until `free` is called.
  mutating func text(ofUUID bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * bytes.count + 4, alignment: 1)
    var position = 0
    func append(_ character: UInt8) {
      text[position] = character
      position += 1
    }
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { append(UInt8(ascii: "-")) }
      for digit in [byte >> 4, byte & 0xF] {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
      }
    }
    add(bytes, nil, UnsafeRawBufferPointer(text))
    return UnsafeRawBufferPointer(text)
  }

  /// Frees the texts.
  @inline(__always)
  mutating func free() {
    if first != nil { freeOthers(than: nil) }
  }

  /// A position in the list. Texts that are folded after it was taken can be freed together.
  struct Mark {
    fileprivate let first: UnsafeMutablePointer<Node>?
  }

  var mark: Mark { Mark(first: first) }

  /// Frees the texts that have been folded since `mark` was taken. No value may refer to them any more.
  @inline(__always)
  mutating func free(since mark: Mark) {
    if first != mark.first { freeOthers(than: mark.first) }
  }

  @inline(never)
  private mutating func freeOthers(than last: UnsafeMutablePointer<Node>?) {
    while let node = first, node != last {
      first = node.pointee.next
      if node.pointee.folded.baseAddress != node.pointee.text.baseAddress { node.pointee.folded.deallocate() }
      node.deallocate()
    }
  }
}

extension QueryNode.Folding {
  /// The folding as `TextFolder` names it.
  var differences: TextFolder.Folding {
    switch self {
    case .case: .case
    case .caseAndDiacritics: .caseAndDiacritics
    }
  }
}
