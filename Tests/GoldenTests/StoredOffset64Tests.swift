import Dflat
import FlatBuffersCore
import Foundation
import Golden_offset64
import SQLiteDflat
import TestSupport
import Testing

@Suite("The output for strings and vectors with 64-bit offsets, stored and queried")
struct StoredOffset64Tests {
  private static let sealed = [UInt8](Chapter(title: "sealed", samples: [-1, 2]).toData())

  private static func full(_ id: Int32) -> Archive {
    Archive(
      id: id, blob: [1, 2, 3], text: "far", label: "first", far: [4], reals: [0.5, -1], points: [Point(x: 1, y: 2)],
      farPoints: [Point(x: 3, y: 4), Point()], letter: sealed, copy: sealed, near: "near",
      chapter: Chapter(title: "one", samples: [1], near: "beside"),
      chapters: [Chapter(), Chapter(title: "", samples: [7, 8, 9]), Chapter(title: "three")],
      part: .chapter(Chapter(title: "in a union", samples: [5])),
      parts: [
        .plain(Plain(text: "plain")), .chapter(Chapter(title: "x")), .note("note"), .chapter(Chapter(samples: [6])),
      ],
      entries: [
        Entry(name: "a", count: 1, next: Entry(name: "b", next: Entry(name: "c")), children: [Entry(name: "d")]),
        Entry(name: "e", children: [Entry(name: "f", next: Entry(name: "g")), Entry(name: "h")]),
      ])
  }

  private static func sample(using random: inout SeededGenerator) -> Archive {
    func sometimes() -> Bool { .random(using: &random) }
    func size() -> Int { .random(in: 0...5, using: &random) }
    func text() -> String { String(repeating: "ä", count: size()) }
    func chapter() -> Chapter {
      Chapter(
        title: sometimes() ? text() : nil, samples: (0..<size()).map { Int16($0) - 2 }, near: sometimes() ? text() : nil
      )
    }
    func part() -> Part {
      sometimes() ? .chapter(chapter()) : sometimes() ? .note(text()) : .plain(Plain(text: text()))
    }
    func entry(_ depth: Int) -> Entry {
      Entry(
        name: text(), count: Int32(depth), next: depth < 4 && sometimes() ? entry(depth + 1) : nil,
        children: depth < 3 ? (0..<size() / 2).map { _ in entry(depth + 1) } : [])
    }
    return Archive(
      id: .random(in: 0...9, using: &random), blob: (0..<size()).map { UInt8($0) }, text: sometimes() ? text() : nil,
      label: sometimes() ? text() : nil, far: (0..<size()).map { UInt8($0) }, reals: (0..<size()).map { Double($0) },
      points: (0..<size()).map { Point(x: Double($0), y: 1) }, farPoints: (0..<size()).map { Point(y: Int32($0)) },
      letter: sometimes() ? sealed : [], copy: sometimes() ? sealed : [], near: sometimes() ? text() : nil,
      chapter: sometimes() ? chapter() : nil, chapters: (0..<size()).map { _ in chapter() },
      part: sometimes() ? part() : nil, parts: (0..<size()).map { _ in part() },
      entries: (0..<size()).map { _ in entry(0) })
  }

  @Test("A table is written as is worked out here from FlatBuffers' description of the format")
  func bytes() {
    // From the end: the string with the 64-bit offset, the vector with the 64-bit length, then what has 32 bits.
    #expect(
      [UInt8](Chapter(title: "hi", samples: [1, -1], near: "n").toData()) == [
        20, 0, 0, 0,  // 0: the offset to the root table
        0, 0, 0, 0, 0, 0,  // 4: padding
        10, 0, 28, 0,  // 10: the vtable: its size, and that of the table
        4, 0, 20, 0, 16, 0,  // 14: where title, samples and near are in the table
        10, 0, 0, 0,  // 20: the table: the distance back to its vtable
        48, 0, 0, 0, 0, 0, 0, 0,  // 24: title, at 24 + 48
        0, 0, 0, 0,  // 32: padding: as in C++, title is sorted as if it took 4 bytes
        12, 0, 0, 0,  // 36: near, at 36 + 12
        16, 0, 0, 0, 0, 0, 0, 0,  // 40: samples, at 40 + 16
        1, 0, 0, 0, 0x6E, 0, 0, 0,  // 48: "n"
        2, 0, 0, 0, 0, 0, 0, 0,  // 56: the length of samples
        1, 0, 0xFF, 0xFF, 0, 0, 0, 0,  // 64: samples, and padding
        2, 0, 0, 0, 0x68, 0x69, 0, 0,  // 72: "hi"
      ])
  }

  @Test("Objects survive their bytes, and JSON")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 64)
    let objects = [Self.full(1), Archive(id: 2, blob: [])] + (0..<200).map { _ in Self.sample(using: &generator) }
    for (index, object) in objects.enumerated() {
      let data = try object.toData()
      #expect(try Archive(verifying: data) == object, "\(index)")
    }
    let object = Self.full(1)
    #expect(try JSONDecoder().decode(Archive.self, from: JSONEncoder().encode(object)) == object)
    #expect(object.letterRoot == Chapter(title: "sealed", samples: [-1, 2]) && object.copyRoot == object.letterRoot)
  }

  @Test("Objects with 64-bit offsets stand behind all others, also those of tables in tables")
  func regions() throws {
    let buffer = ByteBuffer([UInt8](try Self.full(1).toData()))
    let archive = try ArchiveReader(verifying: buffer)
    var far: [Int] = []
    var near: [Int] = []
    buffer.withUnsafeBytes { whole in
      func position(_ bytes: UnsafeRawBufferPointer) -> Int {
        bytes.baseAddress.flatMap { start in whole.baseAddress.map { start - $0 } } ?? -1
      }
      func add(_ text: FlatBufferVector<UInt8>?, to list: inout [Int]) {
        if let text { list.append(text.withUnsafeBytes { position($0) }) }
      }
      func visit(_ chapter: ChapterReader?) {
        guard let chapter else { return }
        near.append(chapter._table.position)
        add(chapter.titleUTF8, to: &far)
        if !chapter.samples.isEmpty { far.append(chapter.samples.withUnsafeBytes { position($0) }) }
        add(chapter.nearUTF8, to: &near)
      }
      func visit(_ entry: EntryReader) {
        near.append(entry._table.position)
        add(entry.nameUTF8, to: &far)
        if let next = entry.next { visit(next) }
        for child in entry.children { visit(child) }
      }
      add(archive.textUTF8, to: &far)
      add(archive.labelUTF8, to: &far)
      far.append(archive.blob.withUnsafeBytes { position($0) })
      far.append(archive.farPoints.withUnsafeBytes { position($0) })
      far.append(archive.letter.withUnsafeBytes { position($0) })
      add(archive.nearUTF8, to: &near)
      visit(archive.chapter)
      for chapter in archive.chapters { visit(chapter) }
      for case .chapter(let chapter)? in archive.parts { visit(chapter) }
      for entry in archive.entries { visit(entry) }
    }
    #expect(far.count == 20 && near.count == 16)
    #expect(try #require(far.min()) > #require(near.max()))
  }

  @Test("Objects live in a store, and each of their strings can be asked about")
  func wholeLife() async throws {
    let objects = [Self.full(1), Archive(id: 2, blob: [], part: .plain(Plain(text: "p"))), Archive(id: 3, blob: [9])]
    var edited = ArchiveBuilder(objects[0])
    edited.text = nil
    edited.label = "changed"
    edited.blob.append(4)
    edited.chapters.removeFirst()
    try await live(
      objects, creation: { ArchiveChangeRequest.creationRequest($0) },
      change: { ArchiveChangeRequest.changeRequest($0) }, deletion: { ArchiveChangeRequest.deletionRequest($0) },
      edited: edited.build(),
      edit: {
        $0.text = nil
        $0.label = "changed"
        $0.blob.append(4)
        $0.chapters.removeFirst()
      },
      questions: [
        (Archive.id == 2, [1]), (Archive.text == "far", [0]), (Archive.text.isNull, [1, 2]),
        (Archive.label == "first", [0]), (Archive.label == "none", [1, 2]), (Archive.label < "g", [0]),
        (Archive.near == "near", [0]), (Archive.near.isNull, [1, 2]), (Archive.chapter.title == "one", [0]),
        (Archive.chapter.near == "beside", [0]), (Archive.part.match(Chapter.self), [0]),
        (Archive.part.as(Chapter.self).title == "in a union", [0]),
        (Archive.part.as(Chapter.self).near.isNull, [0, 1, 2]),
        (Archive.part.as(Plain.self).text == "p", [1]), (Archive.part.match(String.self), []),
        (Archive.part.isNull, [2]),
      ])
  }

  @Test("Every change of a byte is refused, or the object is read inside the buffer")
  func changedBytes() throws {
    let bytes = [UInt8](try Self.full(1).toData())
    var (accepted, refused) = (0, 0)
    for position in bytes.indices {
      for value in [0, 1, 4, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[position] = value
        let data = Data(changed)
        // Unverified bytes are read safely, too.
        let object = Archive.from(data: data)
        if Archive.verify(byteBuffer: ByteBuffer(changed)) {
          accepted += 1
          #expect(object.id >= .min)
        } else {
          refused += 1
        }
      }
    }
    #expect(accepted > 500 && refused > 500, "\(accepted) accepted, \(refused) refused")
    for count in stride(from: 0, to: bytes.count - 8, by: 7) {
      let prefix = Array(bytes[..<count])
      #expect(!Archive.verify(byteBuffer: ByteBuffer(prefix)), "\(count)")
      _ = Archive.from(data: Data(prefix))
    }
  }

  @Test("Tables are sorted and found by a key with a 64-bit offset")
  func keys() throws {
    let names = ["pear", "fig", "apple", "", "plum"]
    let buffer = try ArchiveReader.buffer { builder in
      let blob = builder.createVector64([] as [UInt8])
      let offsets = names.map { builder.createOffset64($0) }
      let tables = zip(names, offsets).map { name, offset in
        EntryReader.create(in: &builder, name: offset, count: Int32(name.count))
      }
      let entries = builder.create(sortedVector: tables, of: EntryReader.self)
      return ArchiveReader.create(in: &builder, id: 1, blob: blob, entries: entries)
    }
    let entries = try ArchiveReader(verifying: buffer).entries
    #expect(entries.map(\.name) == names.sorted())
    for name in names { #expect(entries.first(withKey: name)?.count == Int32(name.count)) }
    #expect(entries.first(withKey: "grape") == nil)
  }

  @Test("Tables nested too deep are an error in either pass, and the builder can be used again")
  func tooDeep() throws {
    func chain(_ count: Int) -> Entry {
      (1..<count).reduce(Entry(name: "0")) { inner, number in Entry(name: "\(number)", next: inner) }
    }
    #expect(try Entry(verifying: chain(64).toData()) == chain(64))
    #expect(throws: FlatBufferError.self) { try chain(65).toData() }
    #expect(throws: FlatBufferError.self) { try Archive(id: 1, blob: [], entries: [chain(70), chain(2)]).toData() }
    var builder = FlatBufferBuilder()
    _ = chain(70).to(flatBufferBuilder: &builder)
    #expect(throws: FlatBufferError.self) { try builder.finish(Offset(rawValue: 1)) }
    builder.clear()
    let root = chain(3).to(flatBufferBuilder: &builder)
    try builder.finish(root)
    #expect(Entry.from(byteBuffer: builder.finishedBuffer()) == chain(3))
  }

  @Test("A vector of tables with 64-bit offsets is written at once")
  func vectorOfTables() throws {
    let entries = Self.full(1).entries
    let buffer = try ArchiveReader.buffer { builder in
      let blob = builder.createVector64([1] as [UInt8])
      let vector = builder.create(tables: entries)
      return ArchiveReader.create(in: &builder, id: 4, blob: blob, entries: vector)
    }
    #expect(Archive.from(byteBuffer: buffer) == Archive(id: 4, blob: [1], entries: entries))
  }

  #if compiler(>=6.2) && (os(Linux) || os(macOS))
    @Test("A table with 64-bit offsets behind another object stops the program with a message")
    func lateTable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = FlatBufferBuilder()
        _ = Chapter(title: "first").to(flatBufferBuilder: &builder)
        _ = Chapter(title: "second").to(flatBufferBuilder: &builder)
      }
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("written before all other strings, vectors and tables"))
    }
  #endif

  @Test("Conditions on the vectors look at their elements")
  func vectors() throws {
    let full = Self.full(1)
    let size = Self.sealed.count
    #expect((Archive.blob.contains(3) && Archive.blob.count == 3).evaluate(full))
    #expect((Archive.far.contains(4)).evaluate(full))
    #expect((Archive.reals.contains(-1)).evaluate(full))
    #expect((Archive.points.contains { $0.y == 2 }).evaluate(full))
    #expect((Archive.farPoints.count == 2).evaluate(full))
    #expect((Archive.letter.count == size).evaluate(full))
    #expect((Archive.copy.count == size).evaluate(full))
    #expect((Archive.chapters.contains { $0.samples.contains(8) }).evaluate(full))
    #expect((Archive.parts.count == 4).evaluate(full))
    #expect((Archive.entries.contains { $0.name == "e" }).evaluate(full))
  }
}
