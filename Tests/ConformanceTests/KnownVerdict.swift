import FBSParser
import FBSSchema

/// Where our verdict on a schema is not flatc's 2.0.8, on purpose.
enum KnownVerdict: String, CaseIterable {
  /// Enums, structs and unions may be used before they are declared; in flatc, order matters.
  case forwardReferences
  /// Values of one number: flatc notices only if one is the least.
  case repeatedNumbers
  /// A deprecated field that is required, or a key: flatc lets it pass.
  case contradictoryAttributes
  /// Attributes on enum values: newer versions of flatc take them.
  case attributesOnValues

  /// The one that explains why two verdicts differ. Nothing if none does.
  static func explaining(_ compilation: Compilation, _ judgement: Judgement) -> KnownVerdict? {
    switch judgement {
    case .crashed: return nil
    case .valid:
      let codes = Set(compilation.errors.map(\.code))
      if codes == [.duplicateNumber] { return .repeatedNumbers }
      if codes == [.contradictoryAttributes] { return .contradictoryAttributes }
      return nil
    case .invalid(let message):
      guard compilation.isValid else { return nil }
      if message.contains("type referenced but not defined") { return .forwardReferences }
      return nil
    }
  }
}
