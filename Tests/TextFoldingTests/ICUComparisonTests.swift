import Foundation
import Testing

@testable import TextFolding

#if os(Linux)
  /// The library of the Unicode consortium, as Debian 12 has it: that of the version of Unicode whose table is pinned here.
  private struct ICU {
    private typealias FoldCase =
      @convention(c) (
        UnsafeMutablePointer<UInt16>, Int32, UnsafePointer<UInt16>, Int32, UInt32, UnsafeMutablePointer<Int32>
      ) -> Int32
    private typealias Normalize =
      @convention(c) (
        OpaquePointer, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<UInt16>, Int32, UnsafeMutablePointer<Int32>
      ) -> Int32
    private typealias Instance = @convention(c) (UnsafeMutablePointer<Int32>) -> OpaquePointer?
    private typealias Version = @convention(c) (UnsafeMutablePointer<UInt8>) -> Void
    private typealias CharacterType = @convention(c) (UInt32) -> Int8
    private typealias CombiningClass = @convention(c) (UInt32) -> UInt8

    /// The library; nil where it is not installed.
    static var installed: ICU? { ICU() }

    private let foldCase: FoldCase
    private let normalize: Normalize
    private let composing: OpaquePointer
    private let decomposing: OpaquePointer
    private let characterType: CharacterType
    private let combiningClass: CombiningClass

    private init?() {
      guard let library = dlopen("libicuuc.so.72", RTLD_NOW) else { return nil }
      // The types are those of ICU's documentation.
      func function<T>(_ name: String, _: T.Type) -> T? {
        dlsym(library, "\(name)_72").map { unsafeBitCast($0, to: T.self) }
      }
      var failure: Int32 = 0
      guard let foldCase = function("u_strFoldCase", FoldCase.self),
        let normalize = function("unorm2_normalize", Normalize.self),
        let composing = function("unorm2_getNFCInstance", Instance.self)?(&failure),
        let decomposing = function("unorm2_getNFDInstance", Instance.self)?(&failure),
        let characterType = function("u_charType", CharacterType.self),
        let combiningClass = function("u_getCombiningClass", CombiningClass.self),
        let version = function("u_getUnicodeVersion", Version.self)
      else { return nil }
      var numbers = [UInt8](repeating: 0, count: 4)
      version(&numbers)
      guard numbers.prefix(3).map(String.init).joined(separator: ".") == TextFoldingTable.version else { return nil }
      self.foldCase = foldCase
      self.normalize = normalize
      self.composing = composing
      self.decomposing = decomposing
      self.characterType = characterType
      self.combiningClass = combiningClass
    }

    func foldedCase(_ text: String) -> String { converted(text) { foldCase($0, $1, $2, $3, 0, $4) } }
    func composed(_ text: String) -> String { converted(text) { normalize(composing, $2, $3, $0, $1, $4) } }
    func decomposed(_ text: String) -> String { converted(text) { normalize(decomposing, $2, $3, $0, $1, $4) } }

    /// The combining class of a nonspacing mark; nil for any other scalar.
    func markClass(_ scalar: Unicode.Scalar) -> UInt8? {
      let nonspacingMark: Int8 = 6
      return characterType(scalar.value) == nonspacingMark ? combiningClass(scalar.value) : nil
    }

    /// The text without case and without the marks whose classes are told, until nothing changes any more.
    func folded(_ text: String, withoutMarks isDiacritic: (UInt8) -> Bool) -> String {
      var text = text
      while true {
        var bare = String.UnicodeScalarView()
        bare.append(contentsOf: decomposed(text).unicodeScalars.filter { markClass($0).map(isDiacritic) != true })
        let next = foldedCase(composed(String(bare)))
        if next.unicodeScalars.elementsEqual(text.unicodeScalars) { return text }
        text = next
      }
    }

    private func converted(
      _ text: String,
      _ convert: (
        UnsafeMutablePointer<UInt16>, Int32, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<Int32>
      ) -> Int32
    ) -> String {
      let source = Array(text.utf16)
      var failure: Int32 = 0
      let units = [UInt16](unsafeUninitializedCapacity: 200) { buffer, count in
        guard let start = buffer.baseAddress else { return }
        count = Int(convert(start, Int32(buffer.count), source, Int32(source.count), &failure))
      }
      // A negative code is a warning.
      #expect(failure <= 0)
      return String(decoding: units, as: UTF16.self)
    }
  }

  /// Documentation/text-folding.md has the differences, and their reasons.
  @Suite("Texts are folded as by ICU", .enabled(if: ICU.installed != nil, "libicuuc.so.72 is not installed."))
  struct ICUComparisonTests {
    private static let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }

    private func isSame(_ lhs: String, _ rhs: String) -> Bool { lhs.unicodeScalars.elementsEqual(rhs.unicodeScalars) }

    @Test("The folding of case is ICU's for each scalar")
    func foldingOfCase() throws {
      let icu = try #require(ICU.installed)
      let different = Self.scalars.filter { scalar in
        !isSame(TextFolder.fold(String(scalar), .case), icu.foldedCase(String(scalar)))
      }
      #expect(different.isEmpty)
    }

    @Test("The folding of diacritics is that of ICU for each scalar, but for marks that make another letter or symbol")
    func foldingOfDiacritics() throws {
      let icu = try #require(ICU.installed)
      var others = 0
      for scalar in Self.scalars {
        let text = String(scalar)
        let folded = icu.composed(TextFolder.fold(text, .caseAndDiacritics))
        if !isSame(folded, icu.folded(text, withoutMarks: { 10...36 ~= $0 || $0 >= 200 })) {
          Issue.record("U+\(String(scalar.value, radix: 16)) becomes \(folded.debugDescription)")
        }
        guard !isSame(folded, icu.folded(text, withoutMarks: { _ in true })) else { continue }
        others += 1
        let marks = icu.decomposed(text).unicodeScalars.compactMap(icu.markClass)
        #expect(marks.contains { $0 < 10 || 37...199 ~= $0 }, "U+\(String(scalar.value, radix: 16))")
      }
      #expect(others > 1000, "Without differences, the documentation is wrong.")
    }
  }
#endif
