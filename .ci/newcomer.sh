# Runs the README's two commands as a newcomer does: with a fresh clone, an empty home and
# cache folder, and none of the programs that Adjutant can use besides Node, npm and Go. Needs count.sh.

hidden_names='^(temporal|bwrap|socat|chromium|chromium-browser|google-chrome|google-chrome-stable|psql|postgres|initdb|pg_.*|squid|schemathesis|litellm|inspect)$'
hidden_places=(
  /usr/bin/bwrap /usr/local/bin/bwrap /usr/bin/socat /usr/local/bin/socat
  /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome /usr/lib/postgresql /usr/sbin/squid
)
# The settings for package registries come from the machine.
passed_on='^(TERM|LANG|TZ|CI|(https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|npm_config_registry|GO(PROXY|SUMDB|NOSUMDB|PRIVATE|INSECURE|TOOLCHAIN))$'

# Links every program on PATH except the hidden ones into one folder.
make_path() {
  local folder name
  mkdir -p "$newcomer/path"
  local IFS=:
  for folder in $PATH; do
    if [ -d "$folder" ]; then ln -s "$(realpath "$folder")"/* "$newcomer/path/" 2>/dev/null; fi
  done
  for name in "$newcomer"/path/*; do
    if [[ "${name##*/}" =~ $hidden_names ]]; then rm "$name"; fi
  done
  return 0
}

# Runs a command with the folders of installed programs hidden, if the machine allows that.
hide_places() {
  local place found=()
  for place in "${hidden_places[@]}"; do if [ -e "$place" ]; then found+=("$place"); fi; done
  if [ "${#found[@]}" -eq 0 ]; then
    "$@"
  elif unshare --mount true 2>/dev/null; then
    unshare --mount bash -c '
      places=()
      while [ "$1" != -- ]; do places+=("$1"); shift; done
      shift
      for place in "${places[@]}"; do
        if [ -d "$place" ]; then mount -t tmpfs none "$place"; else mount --bind /dev/null "$place"; fi || exit 1
      done
      exec "$@"' bash "${found[@]}" -- "$@"
  else
    echo "these cannot be hidden here: ${found[*]}"
    "$@"
  fi
}

# newcomer_runs <user> <home> <command…>: in the clone, with a separate environment.
newcomer_runs() {
  local user="$1" home="$2" name variables=()
  shift 2
  for name in $(compgen -e); do
    if [[ "$name" =~ $passed_on ]]; then variables+=("$name=${!name}"); fi
  done
  local as=()
  if [ "$user" != "$(id -un)" ]; then as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups --); fi
  (
    cd "$newcomer/adjutant" &&
      hide_places "${as[@]}" env -i "HOME=$home" "USER=$user" "PATH=${path_of_user:-$newcomer/path}" "TMPDIR=$newcomer/tmp" "${variables[@]}" "$@"
  )
}

# Fails if npm prints a warning that users would have to ignore.
quiet_install() {
  local log code
  log="$(mktemp)"
  npm ci 2>&1 | tee "$log"
  code="${PIPESTATUS[0]}"
  if grep -qiE 'npm warn|EBADENGINE|deprecated' "$log"; then
    echo "npm ci warns of something"
    code=1
  fi
  rm -f "$log"
  return "$code"
}

as_newcomer() {
  newcomer="$(mktemp -d "${TMPDIR:-/tmp}/adjutant-newcomer-XXXXXX")"
  # Go's module cache is read-only.
  trap 'chmod -R u+w "$newcomer"; rm -rf "$newcomer"' EXIT
  chmod 755 "$newcomer"
  mkdir "$newcomer/home" "$newcomer/tmp"
  chmod 1777 "$newcomer/tmp"
  make_path
  export npm_config_registry GOPROXY GOSUMDB
  npm_config_registry="$(npm config get registry)"
  GOPROXY="$(go env GOPROXY)"
  GOSUMDB="$(go env GOSUMDB)"

  part "newcomer: clone" git clone --quiet --no-hardlinks . "$newcomer/adjutant"
  part "newcomer: npm ci" newcomer_runs "$(id -un)" "$newcomer/home" bash -c "$(declare -f quiet_install); quiet_install"
  part "newcomer: npm run demo" newcomer_runs "$(id -un)" "$newcomer/home" npm run demo
  keep_what_was_built
  part "newcomer: npm test" newcomer_runs "$(id -un)" "$newcomer/home" npm test
}

becomes_another_user() { [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; }

# Runs the tests that depend on programs and on the user again, with the programs installed, as a user who is not root.
as_user_with_programs() {
  if ! becomes_another_user; then return 0; fi
  hidden_places=()
  # Commands in a sandbox see the machine's program folders.
  path_of_user="$PATH"
  mkdir -p "$newcomer/home-of-nobody/.cache"
  cp -a "$newcomer/home/.cache/adjutant" "$newcomer/home-of-nobody/.cache/"
  chown -R "nobody:$(id -g nobody)" "$newcomer/home-of-nobody" "$newcomer/adjutant"
  part "user who is not root, with every program: npm run test:user" newcomer_runs nobody "$newcomer/home-of-nobody" npm run test:user
}

# The rest of the run uses the Temporal program that the demo built, and Go does not compile its packages again.
keep_what_was_built() {
  local cache="${XDG_CACHE_HOME:-$HOME/.cache}/adjutant"
  local built="$newcomer/home/.cache/adjutant/temporal-cli"
  if [ -d "$built" ] && [ ! -e "$cache/temporal-cli" ]; then
    mkdir -p "$cache"
    cp -a "$built" "$cache/"
  fi
  export GOMODCACHE="$newcomer/home/go/pkg/mod" GOCACHE="$newcomer/home/.cache/go-build"
}
