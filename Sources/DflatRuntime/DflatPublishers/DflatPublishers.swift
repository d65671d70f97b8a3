// Publishers are part of `Dflat` where the system has Combine. Elsewhere they are those of OpenCombine, and only this
// module depends on it. `import DflatPublishers` re-exports `Dflat` with Combine or OpenCombine, so that apps need one
// import on every system.

@_exported import Dflat

#if canImport(Combine)
  @_exported import Combine
#else
  @_exported import OpenCombine
#endif
