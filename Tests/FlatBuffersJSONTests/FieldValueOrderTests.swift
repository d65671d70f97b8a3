import FlatBuffersJSON
import Testing

@Suite("The order of values")
struct FieldValueOrderTests {
  @Test("Integers and floating-point numbers are compared without rounding either")
  func mixedNumbers() {
    let (small, large) = (0x1p63, 0x1p64)
    let integers: [FieldValue] = [
      .integer(.min), .real(-0.5), .integer(0), .real(0.5), .integer(9_007_199_254_740_992),
      .integer(9_007_199_254_740_993), .real(9_007_199_254_740_994), .integer(.max),
    ]
    let unsigned: [FieldValue] = [
      .unsigned(9_223_372_036_854_775_808), .unsigned(9_223_372_036_854_775_809), .real(small.nextUp),
      .unsigned(9_223_372_036_854_777_857), .real(large.nextDown), .unsigned(.max), .real(large),
    ]
    let below: [FieldValue] = [.null, .real(-.infinity), .real(-small.nextUp)]
    let ascending = below + integers + unsigned + [.real(.infinity), .text([]), .bytes([])]
    for (a, first) in ascending.enumerated() {
      for (b, second) in ascending.enumerated() {
        let order = FieldValue.order(first, second)
        #expect(order.signum() == (a - b).signum(), "\(first) \(second)")
      }
    }
    #expect(FieldValue.order(.unsigned(9_223_372_036_854_775_808), .real(small)) == 0)
    #expect(FieldValue.order(.real(small), .integer(.max)) == 1)
  }
}
