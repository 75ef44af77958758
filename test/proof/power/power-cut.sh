#!/bin/sh
# power-cut.sh <work> <node> <writer.ts> <survivors.ts> <full|normal> <acks wanted>
# Runs in a mount namespace of its own. The image is the disk: what a copy of it holds while the
# writer stands still is what the disk would hold after a power cut.
set -eu
work=$1 node=$2 writer=$3 survivors=$4 setting=$5 wanted=$6
mount -t tmpfs tmpfs "$work"
mkdir "$work/disk" "$work/after"
truncate -s 256M "$work/disk.img"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$work/disk.img"
# Journal and data go to the disk when somebody asks for it, and otherwise not for a long time.
mount -o loop,commit=600 "$work/disk.img" "$work/disk"
sync -f "$work/disk"
touch "$work/acks"
"$node" "$writer" "$work/disk" "$setting" "$work/acks" &
writing=$!
while [ "$(wc -l < "$work/acks")" -lt "$wanted" ]; do
  kill -0 "$writing"
  sleep 0.05
done
kill -STOP "$writing"
cp --sparse=always "$work/disk.img" "$work/after.img"
kill -KILL "$writing"
wait "$writing" || true
umount "$work/disk"
mount -o loop "$work/after.img" "$work/after"
"$node" "$survivors" "$work/after" > "$work/survivors.json" || echo '{"failed":true}' > "$work/survivors.json"
umount "$work/after"
printf '{"acks":"%s","after":%s}' "$(tr '\n' ' ' < "$work/acks")" "$(cat "$work/survivors.json")"
