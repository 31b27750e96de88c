#!/bin/sh
# Backs up every night at BACKUP_AT (UTC), checks the file, and removes those older than BACKUP_DAYS. At the start too, when
# there is none of the last day. docker-compose.yml runs it; elsewhere cron runs the two commands.
set -u
folder=${BACKUPS:-/backups}
at=${BACKUP_AT:-03:00}
days=${BACKUP_DAYS:-14}

refuse() {
  echo "nightly backup: $1" >&2
  exit 1
}

# Without a time to wait for it would back up again and again.
case $at in
  [0-2][0-9]:[0-5][0-9]) date -u -d "today $at" >/dev/null 2>&1 || refuse "BACKUP_AT $at is no time of day" ;;
  *) refuse "BACKUP_AT must be a time of day (UTC) such as 03:00, not $at" ;;
esac
case $days in
  '' | *[!0-9]*) refuse "BACKUP_DAYS must be a number of days, not $days" ;;
esac

handup() {
  node src/tools/cli/main.ts "$@" &
  wait $!
}

# handup's exit code for a backup that is made, but lacks pictures.
incomplete=3

back_up() {
  file="$folder/handup-$(date -u +%Y-%m-%dT%H%M%S).backup"
  handup backup "$file"
  code=$?
  if { [ "$code" -eq 0 ] || [ "$code" -eq "$incomplete" ]; } && handup restore --check "$file"; then
    if [ "$code" -eq "$incomplete" ]; then
      mv "$file" "${file%.backup}.incomplete.backup"
      echo "nightly backup: lacks pictures, see above; the last complete backup is kept" >&2
    fi
    remove_old
  else
    echo "nightly backup: failed, see above" >&2
    return 1
  fi
}

# The newest whole backup stays, however old it is.
remove_old() {
  whole=$(find "$folder" -name 'handup-*.backup' ! -name '*.incomplete.backup' | sort | tail -n 1)
  find "$folder" -name 'handup-*.backup' -mtime +"$days" ! -path "$whole" -delete
  # What a machine that was switched off left half-written.
  find "$folder" -name 'handup-*.part' -mtime +1 -delete
}

rest() {
  sleep "$1" &
  wait $!
}

until_next() {
  now=$(date -u +%s)
  next=$(date -u -d "today $at" +%s)
  [ "$next" -gt "$now" ] || next=$(date -u -d "tomorrow $at" +%s)
  echo $((next - now))
}

# A shell that waits hears the signal at once, and passes it on to what it waits for.
trap 'kill $! 2>/dev/null; wait; exit 0' TERM INT

if [ -n "${BACKUP_EVERY:-}" ]; then
  echo "nightly backup: none, as the forum backs itself up every $BACKUP_EVERY"
  rest infinity
fi
[ -n "$(find "$folder" -name 'handup-*.backup' -mmin -1440)" ] || back_up
while :; do
  rest "$(until_next)"
  back_up || { rest 3600; back_up; }
done
