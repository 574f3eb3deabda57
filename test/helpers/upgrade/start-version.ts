import { spawn } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { z } from "zod"

/** One installed version of Adjutant on one project. */
export interface InstalledVersion {
  /** The folder of the version's files. */
  readonly root: string
  /** The project directory. */
  readonly cwd: string
  /** Variables in addition to those that every program needs. */
  readonly env: Readonly<Record<string, string>>
}

/** A running `adjutant dev`. */
export interface RunningVersion {
  /** `http://127.0.0.1:<port>` of the HTTP API. */
  readonly url: string
  /** host:port of the Temporal server. */
  readonly temporalAddress: string
  /** Sends SIGTERM and waits until the process has exited. Returns the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL and waits until the process has exited. */
  kill(): Promise<void>
}

const noProfile = { TEMPORAL_CONFIG_FILE: "/nowhere/temporal.toml" }

/** Returns the data directory that every version uses in a project. */
export const upgradeDataDir = (cwd: string): string => path.join(cwd, ".adjutant")

const startedSchema = z.object({ http: z.string(), temporal_address: z.string() })

/** Starts the version with its own Node and without the developer's settings and secrets. */
const spawnVersion = ({ root, cwd, env }: InstalledVersion, argv: readonly string[]) => {
  const { PATH, HOME, XDG_CACHE_HOME, TMPDIR } = process.env
  const child = spawn(path.join(root, "node_modules/.bin/node"), [path.join(root, "bin/adjutant.js"), ...argv], {
    cwd,
    // Versions choose other directories by themselves.
    env: { PATH, HOME, XDG_CACHE_HOME, TMPDIR, ADJUTANT_DATA_DIR: upgradeDataDir(cwd), ...noProfile, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  const ended = once(child, "close").then(() => child.exitCode)
  return { child, output, ended }
}

/** Starts `adjutant dev` and waits until its worker and its HTTP API are ready. */
export const startVersion = async (place: InstalledVersion): Promise<RunningVersion> => {
  const { child, output, ended } = spawnVersion(place, ["dev", "--port", "0", "--output", "json"])
  const isListening = new Promise<boolean>((resolve) => {
    child.stderr.on("data", () => output.stderr.includes("\nlistening on ") && resolve(true))
    void ended.then(() => resolve(false))
  })
  if (!(await isListening)) throw new Error(`adjutant dev of ${place.root} ended at once: ${output.stderr}`)
  const { http: url, temporal_address: temporalAddress } = startedSchema.parse(JSON.parse(output.stdout))
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return await ended
  }
  return {
    url,
    temporalAddress,
    stop: () => end("SIGTERM"),
    kill: async () => {
      await end("SIGKILL")
    },
  }
}

/** Runs a command of the version and returns the JSON that it prints; rejects if it fails. */
export const runVersion = async (place: InstalledVersion, ...argv: readonly string[]): Promise<unknown> => {
  const { output, ended } = spawnVersion(place, [...argv, "--output", "json"])
  const code = await ended
  if (code !== 0) throw new Error(`adjutant ${argv.join(" ")} ended with ${code}: ${output.stderr}`)
  return JSON.parse(output.stdout)
}
