# For scripts that source it: a server of PostgreSQL with an empty database.

postgres=

# A server of PostgreSQL does not run as the administrator.
as_server() {
  if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "cd / && $1"; else sh -c "$1"; fi
}

# Starts a server in the folder, which others may enter, and sets `postgres` to the folder of its programs, and `database` to
# what libpq connects to: start_postgres FOLDER
start_postgres() {
  local newest user folder=$1
  newest=$(ls /usr/lib/postgresql 2>/dev/null | sort -n | tail -1) || true
  postgres=$([ -n "$newest" ] && echo "/usr/lib/postgresql/$newest/bin" || pg_config --bindir)
  user=$([ "$(id -u)" = 0 ] && echo postgres || id -un)
  mkdir "$folder/pg"
  chmod 755 "$folder"
  [ "$(id -u)" != 0 ] || chown postgres "$folder/pg"
  as_server "$postgres/initdb -D $folder/pg/data -U $user -A trust -E UTF8 --locale=C.UTF-8 --no-sync" >"$folder/initdb.log" 2>&1
  as_server "$postgres/pg_ctl -D $folder/pg/data -w -l $folder/pg/log \
    -o '-k $folder/pg -c listen_addresses= -c fsync=off -c wal_level=logical' start" >"$folder/postgres.log" 2>&1
  database="host=$folder/pg user=$user dbname=postgres"
}

# Stops the server that was started in the folder, if one was: stop_postgres FOLDER
stop_postgres() {
  [ -z "${postgres:-}" ] || as_server "$postgres/pg_ctl -D $1/pg/data -m immediate stop" >/dev/null 2>&1 || true
}
