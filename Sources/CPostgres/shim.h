#ifndef DFLAT_POSTGRES_H
#define DFLAT_POSTGRES_H

#include <libpq-fe.h>

#endif
