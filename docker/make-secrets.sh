#!/bin/sh
# Creates the missing files that docker-compose.yml mounts as secrets. The key of the model is read from ANTHROPIC_API_KEY.
set -eu
folder="$(dirname "$0")/secrets"
# Other users cannot enter the folder. The files are readable, because each container has its own user.
mkdir -p "$folder"
chmod 700 "$folder"

keep() {
  [ -s "$folder/$1" ] && return 0
  printf '%s\n' "$2" >"$folder/$1"
  chmod 644 "$folder/$1"
  echo "made $folder/$1"
}
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

for name in postgres-password temporal-password store-password api-token; do keep "$name" "$(random)"; done
if [ ! -s "$folder/anthropic-api-key" ]; then
  [ -n "${ANTHROPIC_API_KEY:-}" ] || {
    echo "set ANTHROPIC_API_KEY, or write the key to $folder/anthropic-api-key, and run this again" >&2
    exit 1
  }
  keep anthropic-api-key "$ANTHROPIC_API_KEY"
fi
# The worker's user writes to this folder.
workspace="${ADJUTANT_WORKSPACE:-$(dirname "$0")/../workspace}"
[ -d "$workspace" ] || { mkdir -p "$workspace" && { chown 1000:1000 "$workspace" 2>/dev/null || true; }; }
