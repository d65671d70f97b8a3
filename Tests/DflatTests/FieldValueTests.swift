import Dflat
import Testing

@Suite("Values and their canonical forms")
struct FieldValueTests {
  private enum Grade: Int8, DflatFriendlyValue {
    case low = -1
    case high = 1
  }

  private struct Rights: OptionSet, DflatFriendlyValue, Hashable {
    let rawValue: UInt64
  }

  private func survives<Value: QueryValue>(_ value: Value) -> Bool { Value(_fieldValue: value._fieldValue) == value }

  @Test("A value is read from its canonical form")
  func values() {
    #expect(survives(true) && survives(false) && survives("") && survives("a\0é"))
    #expect(survives(Int8.min) && survives(UInt8.max) && survives(Int16.min) && survives(UInt16.max))
    #expect(survives(Int32.min) && survives(UInt32.max) && survives(Int64.min) && survives(UInt64.max))
    #expect(survives(Int.max) && survives(UInt.max))
    #expect(survives(Float.leastNonzeroMagnitude) && survives(Float.infinity) && survives(-0.0))
    #expect(survives(Double.greatestFiniteMagnitude) && survives(Double.pi))
    #expect(survives(Grade.low) && survives(Rights(rawValue: .max)))
  }

  @Test("There is no value of a type for the form of another, or for one out of range")
  func noValues() {
    #expect(Int8(_fieldValue: .integer(128)) == nil && UInt8(_fieldValue: .integer(-1)) == nil)
    #expect(Int64(_fieldValue: FieldValue(UInt64.max)) == nil && Int64(_fieldValue: .real(1)) == nil)
    #expect(Grade(_fieldValue: .integer(0)) == nil && Grade(_fieldValue: .text("low")) == nil)
    #expect(String(_fieldValue: .integer(1)) == nil && Double(_fieldValue: .text("1")) == nil)
    #expect(Bool(_fieldValue: .real(1)) == nil && Bool(_fieldValue: .integer(2)) == true)
    #expect(Double(_fieldValue: .null) == nil && String(_fieldValue: .null) == nil && Int(_fieldValue: .null) == nil)
    #expect(Double(_fieldValue: .integer(3)) == 3 && Float(_fieldValue: FieldValue(UInt64.max)) == 0x1p64)
    #expect(FieldValue(Double.nan) == .null && Double(_fieldValue: FieldValue(Double.nan)) == nil)
  }
}
