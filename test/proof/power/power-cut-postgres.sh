#!/bin/sh
# power-cut-postgres.sh <work> <node> <writer.ts> <survivors.ts> <full|normal> <acks wanted> \
#   <folder of the binaries> <uid> <gid>
# As power-cut.sh, with a PostgreSQL between the writer and the disk. `normal` is a server that does
# not wait for its log at a commit.
set -eu
work=$1 node=$2 writer=$3 survivors=$4 setting=$5 wanted=$6 bin=$7 uid=$8 gid=$9
waits=on
[ "$setting" = full ] || waits=off
as="setpriv --reuid=$uid --regid=$gid --clear-groups --"
mount -t tmpfs tmpfs "$work"
mkdir "$work/disk" "$work/after" "$work/socket"
chown "$uid:$gid" "$work/socket"
truncate -s 512M "$work/disk.img"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$work/disk.img"
mount -o loop,commit=600 "$work/disk.img" "$work/disk"
mkdir -m 700 "$work/disk/data"
chown "$uid:$gid" "$work/disk/data"
cd "$work/socket"
$as "$bin/initdb" -D "$work/disk/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C \
  --data-checksums > "$work/log" 2>&1
sync -f "$work/disk"

# serve <folder of the data>: resolves when it answers; its pid is in $serving.
serve() {
  : > "$work/log"
  $as "$bin/postgres" -D "$1" -k "$work/socket" -c listen_addresses= -c shared_buffers=32MB \
    -c synchronous_commit=$waits >> "$work/log" 2>&1 &
  serving=$!
  until grep -q 'ready to accept connections' "$work/log"; do
    kill -0 "$serving" || { cat "$work/log" >&2; exit 1; }
    sleep 0.05
  done
}

url="postgres://postgres@localhost/postgres?host=$work/socket"
serve "$work/disk/data"
touch "$work/acks"
"$node" "$writer" "$url" "$setting" "$work/acks" &
writing=$!
while [ "$(wc -l < "$work/acks")" -lt "$wanted" ]; do
  kill -0 "$writing"
  sleep 0.05
done
all="$serving $(cat "/proc/$serving/task/$serving/children")"
kill -STOP "$writing" $all
cp --sparse=always "$work/disk.img" "$work/after.img"
kill -KILL "$writing" $all
wait "$writing" "$serving" || true
# Its children are not ours to wait for: the disk is free when the last of them is gone.
until umount "$work/disk" 2> /dev/null; do sleep 0.05; done
mount -o loop "$work/after.img" "$work/after"
serve "$work/after/data"
"$node" "$survivors" "$url" > "$work/survivors.json" || echo '{"failed":true}' > "$work/survivors.json"
kill -INT "$serving"
wait "$serving" || true
umount "$work/after"
printf '{"acks":"%s","after":%s}' "$(tr '\n' ' ' < "$work/acks")" "$(cat "$work/survivors.json")"
