// The commit that a build is made from, as the build is told by the environment variable DFLAT_COMMIT (Package.swift).
// NULL if it is told none. C, since Swift has no definition with a value: so another commit compiles this file alone.
const char *dflat_build_commit(void);
