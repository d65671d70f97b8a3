import Foundation

/// A plot with logarithmic axes, as an SVG file.
struct LogLogPlot {
  let title: String
  let xLabel: String
  let yLabel: String
  private var lines: [(name: String, points: [(x: Double, y: Double)], isDashed: Bool)] = []

  private static let colors = [
    "#0072b2", "#56b4e9", "#009e73", "#d55e00", "#e69f00", "#cc79a7", "#7f3c8d", "#333333", "#888888",
  ]
  private static let size = (width: 900.0, height: 560.0)
  /// The corners of the area in which the lines are.
  private static let area = (left: 80.0, top: 50.0, right: 590.0, bottom: 500.0)

  init(title: String, xLabel: String, yLabel: String) {
    self.title = title
    self.xLabel = xLabel
    self.yLabel = yLabel
  }

  /// Adds a line through points, all of whose coordinates are above 0.
  mutating func add(_ name: String, _ points: [(x: Double, y: Double)], isDashed: Bool = false) {
    lines.append((name, points, isDashed))
  }

  var svg: String {
    let xs = decades(lines.flatMap { $0.points.map(\.x) })
    let ys = decades(lines.flatMap { $0.points.map(\.y) })
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" \
      font-family="sans-serif" font-size="13">
      <rect width="100%" height="100%" fill="white"/>
      \(text(title, Self.area.left, 28, size: 17))

      """
    svg += grid(xs, ys)
    for (number, line) in lines.enumerated() {
      let color = Self.colors[number % Self.colors.count]
      let points = line.points.map { (x: x($0.x, xs), y: y($0.y, ys)) }
      let path = points.map { "\(rounded($0.x)),\(rounded($0.y))" }.joined(separator: " ")
      let dashes = line.isDashed ? #" stroke-dasharray="6 4""# : ""
      svg += #"<polyline points="\#(path)" fill="none" stroke="\#(color)" stroke-width="2"\#(dashes)/>"# + "\n"
      for point in points {
        svg += #"<circle cx="\#(rounded(point.x))" cy="\#(rounded(point.y))" r="3.5" fill="\#(color)"/>"# + "\n"
      }
      let legend = Self.area.top + 10 + Double(number) * 24
      svg += #"<line x1="\#(Self.area.right + 20)" y1="\#(legend)" x2="\#(Self.area.right + 50)" y2="\#(legend)" "#
      svg += #"stroke="\#(color)" stroke-width="2"\#(dashes)/>"# + "\n"
      svg += text(line.name, Self.area.right + 58, legend + 4) + "\n"
    }
    return svg + "</svg>\n"
  }

  /// A line and a number for each power of ten, and the names of the axes.
  private func grid(_ xs: ClosedRange<Int>, _ ys: ClosedRange<Int>) -> String {
    var svg = ""
    for exponent in xs {
      let x = x(pow(10, Double(exponent)), xs)
      svg += line(x, Self.area.top, x, Self.area.bottom)
      svg += text(label(exponent), x, Self.area.bottom + 20, anchor: "middle") + "\n"
    }
    for exponent in ys {
      let y = y(pow(10, Double(exponent)), ys)
      svg += line(Self.area.left, y, Self.area.right, y)
      svg += text(label(exponent), Self.area.left - 8, y + 4, anchor: "end") + "\n"
    }
    svg += text(xLabel, (Self.area.left + Self.area.right) / 2, Self.area.bottom + 44, anchor: "middle") + "\n"
    svg += text(yLabel, Self.area.left - 8, Self.area.top - 14, anchor: "end") + "\n"
    return svg
  }

  /// The powers of ten around all values; at least two.
  private func decades(_ values: [Double]) -> ClosedRange<Int> {
    let logarithms = values.map { log10($0) }
    let low = Int((logarithms.min() ?? 0).rounded(.down))
    return low...max(low + 1, Int((logarithms.max() ?? 1).rounded(.up)))
  }

  private func x(_ value: Double, _ decades: ClosedRange<Int>) -> Double {
    Self.area.left + share(value, decades) * (Self.area.right - Self.area.left)
  }

  private func y(_ value: Double, _ decades: ClosedRange<Int>) -> Double {
    Self.area.bottom - share(value, decades) * (Self.area.bottom - Self.area.top)
  }

  private func share(_ value: Double, _ decades: ClosedRange<Int>) -> Double {
    (log10(value) - Double(decades.lowerBound)) / Double(decades.count - 1)
  }

  private func label(_ exponent: Int) -> String {
    exponent >= 0 ? String(Int(pow(10, Double(exponent)))) : String(pow(10, Double(exponent)))
  }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    let ends = #"x1="\#(rounded(x1))" y1="\#(rounded(y1))" x2="\#(rounded(x2))" y2="\#(rounded(y2))""#
    return #"<line \#(ends) stroke="lightgray"/>"# + "\n"
  }

  private func text(_ text: String, _ x: Double, _ y: Double, size: Int = 13, anchor: String = "start") -> String {
    let escaped = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    return
      #"<text x="\#(rounded(x))" y="\#(rounded(y))" font-size="\#(size)" text-anchor="\#(anchor)">\#(escaped)</text>"#
  }

  private func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
}
