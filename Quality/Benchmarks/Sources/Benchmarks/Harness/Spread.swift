/// The median of several measurements, and the quartiles around it.
struct Spread: Codable, Equatable {
  let median: Double
  /// A quarter of the measurements is below.
  let lower: Double
  /// A quarter of the measurements is above.
  let upper: Double

  /// Of measurements in any order; of none, all three are NaN.
  init(_ values: [Double]) {
    let sorted = values.sorted()
    func at(_ index: Int) -> Double { sorted.isEmpty ? .nan : sorted[index] }
    // Of an even number of measurements, the mean of the two in the middle.
    median = (at(sorted.count / 2) + at((sorted.count - 1) / 2)) / 2
    lower = at(sorted.count / 4)
    upper = at(sorted.count - 1 - sorted.count / 4)
  }
}
