import { spawn } from "node:child_process"
import { identifyProcess, type ProcessIdentity } from "../process/process-identity.ts"
import { serverFiles } from "../process/server-files.ts"
import { temporalEnvironment } from "../process/temporal-process.ts"
import type { KeeperOptions } from "./keeper-settings.ts"

/**
 * A shell of two megabytes that ends a Temporal process whose users were all killed. `$1` is the process, `$2` and `$3` mark its start, `$4` is the folder of
 * the leases, `$5` how many looks the process outlives its users, and none without that folder, `$6` the seconds between two looks, `$7` those from SIGTERM to SIGKILL. A process with
 * the number of an earlier one is another one: each lease contains the start of its process.
 */
const script = `
start_of() {
  if [ -r /proc/self/stat ]; then
    read -r line 2>/dev/null < "/proc/$1/stat" || return 1
    set -- \${line##*) }
    [ "$1" = Z ] || printf %s ":\${20}"
  else
    set -- $(LC_ALL=C TZ=UTC ps -o stat=,lstart= -p "$1")
    [ $# -gt 1 ] || return 1
    shift
    printf '"%s' "$*"
  fi
}
runs() { case "$(start_of "$pid" 2>/dev/null)" in "$mark") return 0 ;; *) return 1 ;; esac }
used() {
  for lease in "$users"/*; do
    name=\${lease##*/}
    found=$(start_of "\${name%%-*}" 2>/dev/null) || continue
    [ -n "$found" ] && read -r line 2>/dev/null < "$lease" || continue
    case "$line" in *"$found\\""*) return 0 ;; esac
  done
  return 1
}
pid=$1 mark=$2 users=$3 looks=$4 every=$5 grace=$6
left=$looks
while runs; do
  [ -d "$users" ] || left=0
  if used; then left=$looks
  elif [ "$left" -le 0 ]; then
    kill -TERM "$pid"
    while runs && [ "$grace" -gt 0 ]; do sleep 1; grace=$((grace - 1)); done
    if runs; then kill -KILL "$pid"; fi
    exit 0
  else left=$((left - 1)); fi
  sleep "$every"
done
`

/** The start of a process as the script prints it. */
const markOf = ({ start }: ProcessIdentity): string =>
  process.platform === "linux" ? start.slice(start.lastIndexOf(":")) : `"${start}`

const longestLookSeconds = 5

/** Starts the guard of a Temporal process, which outlives this process. Returns undefined if there is no shell. */
export const spawnGuard = (
  { dataDir, env, lingerMs, stopGraceMs }: Pick<KeeperOptions, "dataDir" | "env" | "lingerMs" | "stopGraceMs">,
  temporal: ProcessIdentity,
): ProcessIdentity | undefined => {
  const everySeconds = Math.min(longestLookSeconds, Math.max(1, Math.floor(lingerMs / 10_000)))
  const numbers = [Math.ceil(lingerMs / 1_000 / everySeconds), everySeconds, Math.ceil(stopGraceMs / 1_000)]
  const { users } = serverFiles(dataDir)
  const given = [String(temporal.pid), markOf(temporal), users, ...numbers.map(String)]
  const options = { detached: true, cwd: "/", stdio: "ignore", env: temporalEnvironment(env) } as const
  const child = spawn("/bin/sh", ["-c", script, "adjutant-keeper", ...given], options)
  child.on("error", () => undefined)
  child.unref()
  return child.pid === undefined ? undefined : identifyProcess(child.pid)
}
