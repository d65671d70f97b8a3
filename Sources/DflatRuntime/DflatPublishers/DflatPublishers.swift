// Publishers are part of `Dflat` where the system has Combine. Elsewhere they are those of OpenCombine, and this module is what brings
// both, so that nothing else depends on OpenCombine. `import DflatPublishers` gives the same on every system.

@_exported import Dflat

#if canImport(Combine)
  @_exported import Combine
#else
  @_exported import OpenCombine
#endif
