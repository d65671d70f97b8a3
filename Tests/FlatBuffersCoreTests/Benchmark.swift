import FlatBuffersCore
import Foundation
import Testing

/// Time per object. Run in release:
/// `DFLAT_BENCHMARK=1 swift test -c release --filter WireFormatBenchmark`
@Suite(.enabled(if: ProcessInfo.processInfo.environment["DFLAT_BENCHMARK"] != nil), .serialized)
struct WireFormatBenchmark {
  /// Prints the fastest of several rounds, in nanoseconds per call of `body`, which returns something of its work.
  private func measure(_ name: String, _ body: (Int) -> Int) {
    let count = 100_000
    var best = Double.infinity
    var sum = 0
    for _ in 0..<7 {
      let start = DispatchTime.now().uptimeNanoseconds
      for index in 0..<count { sum &+= body(index) }
      best = min(best, Double(DispatchTime.now().uptimeNanoseconds - start) / Double(count))
    }
    print("\(name): \((best * 10).rounded() / 10) ns (\(sum & 1))")
  }

  /// Twenty fields: strings, structs, vectors of everything, a union.
  private static let strings = ["first string", "second string of some length", "third", "4"]
  private static let doubles: [Double] = [1, 2, 3, 4, 5, 6, 7, 8]
  private static let points = (0..<4).map { Vec3(x: Float($0), y: 2, z: 3) }
  private static let mixed = Mixed(flag: true, at: points[0], id: 1, small: 2, codes: [1, 2, 3])

  private static func document(_ builder: inout FlatBufferBuilder, _ index: Int) -> Offset {
    let name = builder.create("The name of a document")
    let alias = builder.create("alias")
    let doubles = builder.create(vector: doubles)
    let strings = builder.create(vector: strings)
    let points = builder.create(vector: points)
    let mark = builder.startOffsets()
    for value in 0..<3 as Range<Int32> { builder.append(Leaf(name: "a leaf's name", value: value).write(&builder)) }
    let leaves = builder.endOffsets(from: mark)
    let leaf = Leaf(name: "the one leaf", value: 1).write(&builder)
    let any = Leaf(name: "a member of a union", value: 2).write(&builder)
    builder.startTable(fieldCount: 38)
    builder.add(Int64(index), default: -1, at: 12)
    builder.add(1.5 as Double, default: 0, at: 24)
    builder.add(2.5 as Double?, at: 30)
    builder.add(mixed, at: 44)
    builder.add(Self.points[1], at: 42)
    builder.add(7 as Int32, default: 0, at: 10)
    builder.add(8 as UInt32, default: 0, at: 18)
    builder.add(9 as Float, default: 0, at: 22)
    builder.add(43 as Int32, default: 42, at: 32)
    builder.add(name, at: 36)
    builder.add(alias, at: 38)
    builder.add(doubles, at: 52)
    builder.add(strings, at: 58)
    builder.add(points, at: 60)
    builder.add(leaves, at: 64)
    builder.add(leaf, at: 66)
    builder.add(any, at: 72)
    builder.add(3 as UInt16, default: 0, at: 16)
    builder.add(true, default: false, at: 4)
    builder.add(4 as Int8, default: 3, at: 40)
    builder.add(1 as UInt8, default: 0, at: 70)
    return builder.endTable()
  }

  /// Reads every field, strings by their bytes.
  private static func read(_ view: EverythingView) -> Int {
    var sum = Int(view.i64) &+ Int(view.f64) &+ Int(view.maybeDouble ?? 0) &+ Int(view.i32) &+ Int(view.u32)
    sum &+= Int(view.f32) &+ Int(view.answer) &+ Int(view.u16) &+ (view.b ? 1 : 0) &+ Int(view.kind.rawValue)
    if let mixed = view.mixed { sum &+= Int(mixed.id) &+ Int(mixed.at.x) }
    if let position = view.position { sum &+= Int(position.y) }
    sum &+= view.table.utf8(at: 36)?.count ?? 0
    sum &+= view.table.utf8(at: 38)?.count ?? 0
    for value in view.doubles { sum &+= Int(value) }
    let strings = view.strings
    for index in strings.indices { sum &+= strings.utf8(at: index).count }
    for point in view.points { sum &+= Int(point.x) }
    for leaf in view.leaves { sum &+= (leaf.table.utf8(at: 4)?.count ?? 0) &+ Int(leaf.value) }
    if let leaf = view.leaf { sum &+= leaf.table.utf8(at: 4)?.count ?? 0 }
    if case .leaf(let leaf) = view.any { sum &+= leaf.table.utf8(at: 4)?.count ?? 0 }
    return sum
  }

  /// Reads every string as a `String`.
  private static func readStrings(_ view: EverythingView) -> Int {
    var sum = (view.name?.utf8.count ?? 0) &+ (view.alias?.utf8.count ?? 0)
    for string in view.strings { sum &+= string.utf8.count }
    for leaf in view.leaves { sum &+= leaf.name?.utf8.count ?? 0 }
    sum &+= view.leaf?.name?.utf8.count ?? 0
    if case .leaf(let leaf) = view.any { sum &+= leaf.name?.utf8.count ?? 0 }
    return sum
  }

  @Test func document() throws {
    var builder = FlatBufferBuilder()
    measure("build") { index in
      builder.clear()
      let root = Self.document(&builder, index)
      do throws(FlatBufferError) { try builder.finish(root) } catch { return -1 }
      return builder.count
    }
    let buffer = builder.finishedBuffer()
    print("\(buffer.count) bytes")
    try buffer.verify(as: EverythingView.self)
    measure("verify") { _ in buffer.isValid(as: EverythingView.self) ? 1 : 0 }
    measure("read, owned") { _ in EverythingView(root: buffer).map(Self.read) ?? 0 }
    measure("read strings, owned") { _ in EverythingView(root: buffer).map(Self.readStrings) ?? 0 }
    measure("one scalar, owned") { _ in EverythingView(root: buffer).map { Int($0.answer) } ?? 0 }
    buffer.withUnsafeBytes { bytes in
      let buffer = ByteBuffer(unsafeBorrowing: bytes)
      measure("read, borrowed") { _ in EverythingView(root: buffer).map(Self.read) ?? 0 }
      measure("read strings, borrowed") { _ in EverythingView(root: buffer).map(Self.readStrings) ?? 0 }
      measure("one scalar, borrowed") { _ in EverythingView(root: buffer).map { Int($0.answer) } ?? 0 }
    }
    measure("a model, decoded") { _ in EverythingView(root: buffer).map { Everything($0).name.utf8.count } ?? 0 }
  }
}
