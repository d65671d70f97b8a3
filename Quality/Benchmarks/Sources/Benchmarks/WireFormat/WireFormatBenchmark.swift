import FlatBuffersCore
import WireFormatCPlusPlus

/// The wire format, beside the same work through the C++ library: a document of twenty fields.
///
/// Both languages do each job in a function that is not inlined, so that no work is moved out of the loop.
struct WireFormatBenchmark {
  private let rounds: Int
  private let reporter: Reporter
  private let repetitions = 20_000

  init(_ measurement: Measurement) {
    rounds = measurement.rounds
    reporter = measurement.reporter
  }

  /// A job in both languages: so many times, with a sum of what was seen.
  private struct Job {
    let name: String
    let swift: (Int) -> Int
    let reach: Double?
    let cPlusPlus: (Int64) -> Int64

    init(
      _ name: String, reach: Double? = nil, _ swift: @escaping (Int) -> Int, _ cPlusPlus: @escaping (Int64) -> Int64
    ) {
      self.name = name
      self.reach = reach
      self.swift = swift
      self.cPlusPlus = cPlusPlus
    }
  }

  func run() throws {
    let buffer = try DocumentWriter.buffer()
    var size = 0
    let bytes = wire_document(&size)
    guard let bytes else { throw BenchmarkError(description: "C++ wrote nothing") }
    let theirs = ByteBuffer(unsafeBorrowing: UnsafeRawBufferPointer(start: bytes, count: size))
    try buffer.verify(as: DocumentReader.self)
    try theirs.verify(as: DocumentReader.self)
    guard DocumentWork.read(buffer) == DocumentWork.read(theirs), Int(wire_read(bytes, 1)) == DocumentWork.read(theirs),
      Int(wire_read_strings(bytes, 1)) == DocumentWork.readStrings(theirs)
    else { throw BenchmarkError(description: "the two languages do not see the same document") }

    reporter.print(
      "wire format: a document of 20 fields, \(buffer.count) bytes here and \(size) in C++; ns and allocations per operation"
    )
    let writer = DocumentWriter()
    let strings = DocumentStrings(of: theirs)
    let jobs = [
      Job("build, builder reused", reach: 0.8, { writer.write(count: $0) }, wire_build),
      Job("verify", reach: 1.4, { repeating($0) { DocumentWork.verify(buffer) } }, { wire_verify(bytes, size, $0) }),
      Job("read every field, strings by their bytes", reach: 1.9, { repeating($0) { DocumentWork.read(buffer) } }) {
        wire_read(bytes, $0)
      },
      Job(
        "read every field, strings by their bytes, of borrowed bytes", { repeating($0) { DocumentWork.read(theirs) } }
      ) { wire_read(bytes, $0) },
      Job("read every field, strings as String", { repeating($0) { DocumentWork.readStrings(buffer) } }) {
        wire_read_strings(bytes, $0)
      },
      Job(
        "read every field, strings as String, of borrowed bytes", { repeating($0) { DocumentWork.readStrings(theirs) } }
      ) {
        wire_read_strings(bytes, $0)
      },
      Job("copy the bytes of its strings into a String each, the floor of that", { strings.copy(count: $0) }) {
        wire_copy_strings(strings.pointers, strings.sizes, Int64(strings.pointers.count), $0)
      },
      Job("one scalar of a buffer in hand", reach: 1.5, { repeating($0) { DocumentWork.readScalar(buffer) } }) {
        wire_read_scalar(bytes, $0)
      },
      Job("one scalar of borrowed bytes", { repeating($0) { DocumentWork.readScalar(theirs) } }) {
        wire_read_scalar(bytes, $0)
      },
      Job("decode into the data model", reach: 1.7, { repeating($0) { DocumentWork.decode(buffer) } }) {
        wire_unpack(bytes, $0)
      },
    ]
    for job in jobs { try report(job) }
  }

  private func report(_ job: Job) throws {
    var ours: [Double] = []
    var others: [Double] = []
    var sum = 0
    for _ in 0..<rounds * 3 {
      ours.append(nanoseconds { sum &+= job.swift(repetitions) })
      others.append(nanoseconds { sum &+= Int(truncatingIfNeeded: job.cPlusPlus(Int64(repetitions))) })
    }
    let allocations = (
      swift: allocationsPerCall { sum &+= job.swift(1000) },
      cPlusPlus: allocationsPerCall { sum &+= Int(truncatingIfNeeded: job.cPlusPlus(1000)) }
    )
    var row = ReportRow(.wire, job.name, .nanoseconds, ours, besides: "C++", others)
    row.reach = job.reach
    row.note = "\(allocations.swift) allocations, C++ \(allocations.cPlusPlus)"
    try reporter.add(row)
    // So that no work is left out.
    if sum == 1 { reporter.print("") }
  }

  private func nanoseconds(_ body: () -> Void) -> Double {
    let (seconds, attoseconds) = ContinuousClock().measure(body).components
    return (Double(seconds) * 1e9 + Double(attoseconds) * 1e-9) / Double(repetitions)
  }

  /// Of 1,000 calls; "?" where nobody counts.
  private func allocationsPerCall(_ body: () -> Void) -> String {
    body()
    let before = allocation_count()
    guard before >= 0 else { return "?" }
    body()
    return tenths(Double(allocation_count() - before) / 1000)
  }

  private func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

private func repeating(_ count: Int, _ body: () -> Int) -> Int {
  var sum = 0
  for _ in 0..<count {
    wire_barrier()
    sum &+= body()
  }
  return sum
}

/// Writes the document with a builder that is kept.
private final class DocumentWriter {
  private var builder = FlatBufferBuilder()
  private let weights = (0..<16).map { Float($0) }
  private let points = (0..<4).map { Vec3Value(x: Float($0), y: 2, z: 3) }
  private let tags = ["first tag", "second tag, of some length", "third", "4"]

  static func buffer() throws -> ByteBuffer {
    let writer = DocumentWriter()
    guard writer.write(number: 1) > 0 else { throw BenchmarkError(description: "the document was not written") }
    return writer.builder.finishedBuffer()
  }

  func write(count: Int) -> Int {
    var sum = 0
    for number in 0..<count { sum &+= write(number: number) }
    return sum
  }

  @inline(never)
  func write(number: Int) -> Int {
    builder.clear()
    let title = builder.create("The title of a document")
    let author = builder.create("Its author")
    let summary = builder.create("What it says, in a sentence of some seventy bytes, more or less, as it is.")
    let link = builder.create("https://example.com/documents/1")
    let weights = builder.create(vector: weights)
    let points = builder.create(vector: points)
    let mark = builder.startOffsets()
    for value in 0..<3 as Range<Int32> {
      let name = builder.create("a leaf's name, long")
      builder.append(LeafReader.create(in: &builder, name: name, value: value))
    }
    let leaves = builder.endOffsets(from: mark)
    let tags = builder.create(vector: tags)
    let text = builder.create("a note, attached")
    let note = NoteReader.create(in: &builder, text: text, weight: 2.5)
    let root = DocumentReader.create(
      in: &builder, title: title, author: author, summary: summary, link: link,
      position: Vec3Value(x: 1, y: 2, z: 3), created: StampValue(seconds: 1_700_000_000, nanoseconds: 5, zone: 60),
      weights: weights, points: points, leaves: leaves, tags: tags, attachmentType: 2, attachment: note,
      number: Int64(number), pages: 7, price: 1.5, ratio: 0.25, kind: .report, isPublic: true, flags: 9, revision: 11,
      rating: 4)
    do throws(FlatBufferError) {
      try builder.finish(root)
      return builder.count
    } catch {
      return 0
    }
  }
}

/// Where the strings of a document stand, in borrowed bytes.
private struct DocumentStrings {
  var pointers: [UnsafePointer<CChar>?] = []
  var sizes: [Int64] = []

  init(of buffer: ByteBuffer) {
    guard let document = DocumentReader(root: buffer) else { return }
    var strings = [document.titleUTF8, document.authorUTF8, document.summaryUTF8, document.linkUTF8]
    strings += document.leaves.map(\.nameUTF8)
    if case .note(let note) = document.attachment { strings.append(note.textUTF8) }
    for string in strings { string?.withUnsafeBytes { add($0) } }
    for index in document.tags.indices { add(document.tags.utf8(at: index)) }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    pointers.append(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    sizes.append(Int64(bytes.count))
  }

  func copy(count: Int) -> Int {
    repeating(count) {
      var sum = 0
      for index in pointers.indices { sum &+= Self.copy(pointers[index], count: Int(sizes[index])) }
      return sum
    }
  }

  @inline(never)
  private static func copy(_ start: UnsafePointer<CChar>?, count: Int) -> Int {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    return String(decoding: bytes, as: UTF8.self).utf8.count
  }
}

/// What is done with a document.
private enum DocumentWork {
  @inline(never)
  static func verify(_ buffer: ByteBuffer) -> Int {
    buffer.isValid(as: DocumentReader.self) ? 1 : 0
  }

  @inline(never)
  static func read(_ buffer: ByteBuffer) -> Int {
    guard let document = DocumentReader(root: buffer) else { return 0 }
    var sum = scalars(document)
    sum &+= document.titleUTF8?.count ?? 0
    sum &+= document.authorUTF8?.count ?? 0
    sum &+= document.summaryUTF8?.count ?? 0
    sum &+= document.linkUTF8?.count ?? 0
    for leaf in document.leaves { sum &+= Int(leaf.value) &+ (leaf.nameUTF8?.count ?? 0) }
    let tags = document.tags
    for index in tags.indices { sum &+= tags.utf8(at: index).count }
    if case .note(let note) = document.attachment {
      sum &+= Int(Int64(bitPattern: note.weight.bitPattern)) &+ (note.textUTF8?.count ?? 0)
    }
    return sum
  }

  @inline(never)
  static func readStrings(_ buffer: ByteBuffer) -> Int {
    guard let document = DocumentReader(root: buffer) else { return 0 }
    var sum = scalars(document)
    sum &+= document.title?.utf8.count ?? 0
    sum &+= document.author?.utf8.count ?? 0
    sum &+= document.summary?.utf8.count ?? 0
    sum &+= document.link?.utf8.count ?? 0
    for leaf in document.leaves { sum &+= Int(leaf.value) &+ (leaf.name?.utf8.count ?? 0) }
    for tag in document.tags { sum &+= tag.utf8.count }
    if case .note(let note) = document.attachment {
      sum &+= Int(Int64(bitPattern: note.weight.bitPattern)) &+ (note.text?.utf8.count ?? 0)
    }
    return sum
  }

  /// All that is no string.
  @inline(__always)
  private static func scalars(_ document: DocumentReader) -> Int {
    var sum =
      Int(document.number) &+ Int(document.pages) &+ Int(Int64(bitPattern: document.price.bitPattern))
      &+ Int(Int32(bitPattern: document.ratio.bitPattern))
    sum &+= Int(document.kind.rawValue) &+ (document.isPublic ? 1 : 0)
    sum &+= Int(document.flags) &+ Int(document.revision) &+ Int(document.rating ?? 0)
    if let position = document.position { sum &+= Int(Int32(bitPattern: position.x.bitPattern)) }
    if let created = document.created { sum &+= Int(created.seconds) }
    for weight in document.weights { sum &+= Int(Int32(bitPattern: weight.bitPattern)) }
    for point in document.points { sum &+= Int(Int32(bitPattern: point.y.bitPattern)) }
    return sum
  }

  @inline(never)
  static func readScalar(_ buffer: ByteBuffer) -> Int {
    guard let document = DocumentReader(root: buffer) else { return 0 }
    return Int(document.pages)
  }

  @inline(never)
  static func decode(_ buffer: ByteBuffer) -> Int {
    Document.from(byteBuffer: buffer).title.utf8.count
  }
}
