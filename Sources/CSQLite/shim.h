// The system's SQLite, as a module that Swift can import.
#include <sqlite3.h>
