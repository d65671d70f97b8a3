import Foundation

/// Every how many tokens a test changes a fixture, since all changes of all fixtures take minutes in a debug build. 1 if
/// `DFLAT_ALL_MUTATIONS` is set.
public let mutationStride = ProcessInfo.processInfo.environment["DFLAT_ALL_MUTATIONS"] == nil ? 4 : 1
