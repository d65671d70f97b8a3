#include "CBuildCommit.h"

#include <stddef.h>

const char *dflat_build_commit(void) {
#ifdef DFLAT_COMMIT
  return DFLAT_COMMIT;
#else
  return NULL;
#endif
}
