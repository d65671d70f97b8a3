import FlatBuffersCore
import TestSupport
import Testing

@testable import BufferJobs

@Suite("The checks of generated code find what the calls that throw find")
struct FieldChecksTests {
  private func error<View: FlatBufferTableView>(
    in bytes: [UInt8], as view: View.Type, options: FlatBufferVerifier.Options = .init()
  ) -> FlatBufferError? {
    do throws(FlatBufferError) {
      try ByteBuffer(bytes).verify(as: view, fileIdentifier: "EVRY", options: options)
      return nil
    } catch {
      return error
    }
  }

  @Test("The first error in changed bytes is the same, or there is none in both")
  func firstError() {
    var (accepted, errors) = (0, 0)
    for seed in 5000..<5060 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let bytes = Everything(using: &random).buffer().array
      for copy in [bytes] + damagedCopies(of: bytes, count: 400, using: &random) {
        let expected = error(in: copy, as: EverythingView.self)
        let found = error(in: copy, as: CheckedEverythingView.self)
        #expect(found == expected, "seed \(seed)")
        if expected == nil { accepted += 1 } else { errors += 1 }
      }
    }
    // Otherwise this test would prove little.
    #expect(accepted > 2000 && errors > 2000, "\(accepted) accepted, \(errors) refused")
  }

  @Test("Limits of depth and of tables are kept in tables, vectors and unions")
  func limits() {
    for seed in 5060..<5080 as Range<UInt64> {
      let bytes = Everything(seed: seed).buffer().array
      for limit in 1...12 {
        for options in [
          FlatBufferVerifier.Options(maximumDepth: limit), .init(maximumTableCount: limit),
        ] {
          let expected = error(in: bytes, as: EverythingView.self, options: options)
          #expect(error(in: bytes, as: CheckedEverythingView.self, options: options) == expected, "seed \(seed)")
        }
      }
    }
  }

  @Test("A verifier that has thrown starts anew with the next table")
  func reuse() throws {
    let bytes = Everything(seed: 5080).buffer()
    let root = try #require(FlatBufferTable(rootOf: bytes)).position
    var verifier = try FlatBufferVerifier(bytes)
    #expect(throws: FlatBufferError.missingRequiredField(slot: 200, position: root)) {
      try MissingFieldsView.verify(&verifier, at: root)
    }
    #expect(throws: FlatBufferError.missingRequiredField(slot: 202, position: root)) {
      try MissingFieldView.verify(&verifier, at: root)
    }
    try CheckedEverythingView.verify(&verifier, at: root)
  }
}

/// A table with required fields that no buffer has.
private struct MissingFieldsView: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    try verifier.beginFields(ofTableAt: position)
    verifier.checkString(at: 200, required: true)
    verifier.checkString(at: 202, required: true)
    try verifier.endFields()
  }
}

/// A table with one of the fields that no buffer has.
private struct MissingFieldView: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    try verifier.beginFields(ofTableAt: position)
    verifier.checkString(at: 202, required: true)
    try verifier.endFields()
  }
}

private struct CheckedLeafView: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    try verifier.beginFields(ofTableAt: position)
    verifier.checkString(at: 4)
    verifier.checkScalar(size: 4, at: 6)
    try verifier.endFields()
  }
}

private struct CheckedNodeView: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    try verifier.beginFields(ofTableAt: position)
    verifier.checkString(at: 4)
    verifier.checkTables(CheckedNodeView.self, at: 6)
    try verifier.endFields()
  }
}

private enum CheckedAnyView: FlatBufferUnionView {
  case unknown(UInt8)

  init?(code: UInt8, member: FlatBufferUnionMember) { self = .unknown(code) }

  static func verify(
    _ verifier: inout FlatBufferVerifier, code: UInt8, at position: Int
  ) throws(FlatBufferError) {
    switch code {
    case 1: try CheckedLeafView.verify(&verifier, at: position)
    case 2: try CheckedNodeView.verify(&verifier, at: position)
    case 3: try verifier.structure(size: 12, alignment: 4, at: position)
    case 4: try verifier.string(at: position)
    default: break
    }
  }
}

private struct CheckedEverythingView: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    try verifier.beginFields(ofTableAt: position)
    let sizes = [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 4, 8, 4, 8]
    for (index, size) in sizes.enumerated() {
      verifier.checkScalar(size: size, at: VTableOffset(4 + 2 * index))
    }
    verifier.checkString(at: 36, required: true)
    verifier.checkString(at: 38)
    verifier.checkScalar(size: 1, at: 40)
    verifier.checkStruct(size: 12, alignment: 4, at: 42)
    verifier.checkStruct(size: 32, alignment: 8, at: 44)
    for (index, stride) in [1, 2, 8, 8, 1, 1].enumerated() {
      verifier.checkVector(stride: stride, at: VTableOffset(46 + 2 * index))
    }
    verifier.checkStrings(at: 58)
    verifier.checkVector(stride: 12, at: 60)
    verifier.checkVector(stride: 32, at: 62)
    verifier.checkTables(CheckedLeafView.self, at: 64)
    verifier.checkTable(CheckedLeafView.self, at: 66)
    verifier.checkTable(CheckedNodeView.self, at: 68)
    verifier.checkUnion(CheckedAnyView.self, at: 72)
    verifier.checkUnions(CheckedAnyView.self, at: 76)
    verifier.checkNestedBuffer(of: CheckedLeafView.self, at: 78)
    try verifier.endFields()
  }
}
