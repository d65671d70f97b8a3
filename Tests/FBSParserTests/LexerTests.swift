import Testing

@testable import FBSParser
