#!/bin/sh
# Starts the postgres image's server with the settings of the embedded one (src/database/embedded/postmaster.ts): an eighth of the
# machine's or container's memory for its cache, since the forum shares the machine. What is given as arguments comes last and wins.
set -eu
megabytes=$(awk '/^MemTotal:/ { print int($2 / 1024) }' "${MEMINFO:-/proc/meminfo}")
limit=$(cat "${MEMORY_LIMIT:-/sys/fs/cgroup/memory.max}" 2>/dev/null || echo max)
case $limit in
  max | '' | *[!0-9]*) ;;
  *) [ "$((limit / 1048576))" -ge "$megabytes" ] || megabytes=$((limit / 1048576)) ;;
esac

between() {
  if [ "$1" -lt "$2" ]; then echo "$2"; elif [ "$1" -gt "$3" ]; then echo "$3"; else echo "$1"; fi
}

exec docker-entrypoint.sh postgres \
  -c "shared_buffers=$(between $((megabytes / 8)) 128 4096)MB" \
  -c "effective_cache_size=$(between $((megabytes / 2)) 512 16777216)MB" \
  -c maintenance_work_mem=64MB \
  -c max_wal_size=512MB \
  -c random_page_cost=1.1 \
  -c autovacuum_vacuum_cost_delay=20ms \
  -c jit=off \
  "$@"
