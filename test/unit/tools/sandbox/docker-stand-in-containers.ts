import { execFileSync, spawn } from "node:child_process"
import { existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Refusal } from "./docker-stand-in-grammar.ts"
import type { Mount } from "./docker-stand-in-grammar.ts"

export interface Container {
  readonly id: string
  readonly name: string
  readonly labels: readonly string[]
  readonly options: Readonly<Record<string, readonly string[]>>
  readonly mounts: readonly Mount[]
  readonly env: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

const place = { containers: "containers", output: "output", exits: "exits" } as const

/** An environment variable that marks the processes of a container, in place of a namespace. */
const mark = (id: string): string => `STAND_IN_CONTAINER=${id}`

export const outputFile = (state: string, id: string, stream: "out" | "err"): string =>
  join(state, place.output, `${id}.${stream}`)
export const exitFile = (state: string, id: string): string => join(state, place.exits, id)
const pidFile = (state: string, id: string): string => join(state, place.exits, `${id}.pid`)
export const recordFile = (state: string, id: string): string => join(state, place.containers, id)

/** Writes a file and renames it into place, so that nobody reads half of the file. */
export const writeWhole = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

export const containersIn = (state: string): readonly Container[] =>
  readdirSync(join(state, place.containers))
    .filter((name) => !name.endsWith(".new"))
    .flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(state, place.containers, name), "utf8"))]
      } catch {
        return []
      }
    })

export const processesOf = (id: string): readonly number[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark(id))
      } catch {
        return false
      }
    })
    .map(Number)

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended meanwhile.
  }
}

export const killAll = async (id: string): Promise<void> => {
  for (let pids = processesOf(id); pids.length > 0; pids = processesOf(id)) {
    for (const pid of pids) signal(pid, "SIGKILL")
    await delay(5)
  }
}

/** Sends a signal to the container's first process only. */
export const signalInit = (state: string, id: string, name: NodeJS.Signals): void => {
  const file = pidFile(state, id)
  if (existsSync(file)) signal(Number(readFileSync(file, "utf8")), name)
}

export const findContainer = (state: string, reference: string): Container => {
  const found = containersIn(state).find(({ id, name }) => id === reference || name === reference)
  if (found === undefined) throw new Refusal(`Error response from daemon: No such container: ${reference}`, 1)
  return found
}

export const removeRecord = (state: string, id: string, exitCode: number): void => {
  if (!existsSync(exitFile(state, id))) writeWhole(exitFile(state, id), String(exitCode))
  rmSync(recordFile(state, id), { force: true })
}

/** Sets the container's limits for this process and all that it starts, as the engine does for the init of a container. */
const applyLimits = ({ options }: Container): void => {
  const limits = (options["ulimit"] ?? []).map((limit) => `--${limit}`)
  if (limits.length > 0) execFileSync("prlimit", ["--pid", String(process.pid), ...limits])
}

/**
 * Acts as the init of a container: starts the command in its own group, passes SIGTERM on, and ends what is left with
 * it.
 */
export const supervise = async (state: string, id: string): Promise<void> => {
  const container = findContainer(state, id)
  applyLimits(container)
  const [file = "", ...args] = container.command
  const errors = openSync(outputFile(state, id, "err"), "a")
  const child = spawn(file, args, {
    cwd: container.options["workdir"]?.[0],
    env: { ...container.env, STAND_IN_CONTAINER: id },
    detached: true,
    stdio: ["inherit", openSync(outputFile(state, id, "out"), "a"), errors],
  })
  const pass = (name: NodeJS.Signals): void => {
    const group = container.env["TINI_KILL_PROCESS_GROUP"] !== undefined
    if (child.pid !== undefined) signal(group ? -child.pid : child.pid, name)
  }
  process.on("SIGTERM", () => pass("SIGTERM"))
  writeFileSync(pidFile(state, id), String(process.pid))
  const exitCode = await new Promise<number>((resolve) => {
    child.once("error", (error) => {
      const missing = "code" in error && error.code === "ENOENT"
      const why = missing ? "No such file or directory" : "Permission denied"
      writeFileSync(errors, `[FATAL tini (7)] exec ${file} failed: ${why}\n`)
      resolve(missing ? 127 : 126)
    })
    child.once("exit", (code, name) => resolve(code ?? 128 + (name === "SIGKILL" ? 9 : 15)))
  })
  await killAll(id)
  removeRecord(state, id, exitCode)
}
