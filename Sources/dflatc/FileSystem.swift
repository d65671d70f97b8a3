import FBSSchema
import Foundation

/// The files of this machine, for a compilation to read.
struct FileSystem: SourceProvider {
}
