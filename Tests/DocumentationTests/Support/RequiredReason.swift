/// A category of APIs for whose calls Apple's App Store wants a reason.
enum RequiredReason: String, CaseIterable {
  case fileTimestamp = "FileTimestamp"
  case systemBootTime = "SystemBootTime"
  case diskSpace = "DiskSpace"
  case activeKeyboards = "ActiveKeyboards"
  case userDefaults = "UserDefaults"

  /// The name of the category in a privacy manifest.
  var name: String { "NSPrivacyAccessedAPICategory" + rawValue }

  /// The reasons that Apple accepts for the category.
  var reasons: Set<String> {
    switch self {
    case .fileTimestamp: ["DDA9.1", "C617.1", "3B52.1", "0A2A.1"]
    case .systemBootTime: ["35F9.1", "8FFB.1", "3D61.1"]
    case .diskSpace: ["85F4.1", "E174.1", "7D9E.1", "B728.1"]
    case .activeKeyboards: ["3EC4.1", "54BD.1"]
    case .userDefaults: ["CA92.1", "1C8F.1", "C56D.1", "AC6B.1"]
    }
  }

  /// The functions and names of the category. A function is told from the type of its name by its arguments.
  private var calls: Regex<Substring> {
    switch self {
    case .fileTimestamp:
      /\b(?:stat|lstat|fstat|fstatat|f?getattrlist(?:at|bulk)?)\([^)]|\b(?:content)?(?:M|m)odificationDate(?:Key)?\b|\bcreationDate(?:Key)?\b|\bfile(?:Modification|Creation)Date\b/
    case .systemBootTime: /\bsystemUptime\b|\bmach_absolute_time\b/
    case .diskSpace: /\bf?stat(?:v?fs)\([^)]|\bsystem(?:Free)?Size\b|\bvolume(?:Available|Total)Capacity\w*/
    case .activeKeyboards: /\bactiveInputModes\b/
    case .userDefaults: /\bUserDefaults\b|@AppStorage\b/
    }
  }

  /// The categories that some Swift calls. Comments are passed over.
  static func called(by text: String) -> Set<RequiredReason> {
    let code = text.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex) }
      .joined(separator: "\n")
    // By Unicode's rules `a.b` is one word.
    return Set(allCases.filter { code.contains($0.calls.wordBoundaryKind(.simple)) })
  }
}
