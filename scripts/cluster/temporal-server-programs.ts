import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import path from "node:path"
import { goEnvironment } from "../../server/program/build-temporal-program.ts"
import { waitForLock } from "../../server/process/exclusive-lock.ts"
import { isExecutable, programOnPath } from "../../server/program/program-on-path.ts"
import { lastLine, runUntilDone } from "../../server/process/run-until-done.ts"
import { userCache } from "../checks/user-cache.ts"

/** The release in docker-compose.yml. */
export const temporalServerVersion = "v1.32.0"

/** Programs of a Temporal cluster, by their names in the images. */
export interface TemporalServerPrograms {
  /** `temporal-server` */
  readonly server: string
  /** `temporal-sql-tool` */
  readonly sql: string
}

const sources = { server: "go.temporal.io/server/cmd/server", sql: "go.temporal.io/server/cmd/tools/sql" } as const

const programsFolder = (env: NodeJS.ProcessEnv): string =>
  path.join(userCache(env), "temporal-server", temporalServerVersion)

/** Returns the programs in the user's cache; undefined if they were never built. */
export const findTemporalServer = (env: NodeJS.ProcessEnv): TemporalServerPrograms | undefined => {
  const folder = programsFolder(env)
  const programs = { server: path.join(folder, "server"), sql: path.join(folder, "sql") }
  return Object.values(programs).every(isExecutable) ? programs : undefined
}

/** Builds the programs with Go if they are missing, once per user and by one process at a time. Throws an `Error` with the reason if the build fails. */
export const ensureTemporalServer = async (
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<TemporalServerPrograms> => {
  const folder = programsFolder(env)
  await mkdir(folder, { recursive: true })
  const lock = await waitForLock(path.join(folder, "fill.lock"))
  try {
    return findTemporalServer(env) ?? (await build(folder, env, onProgress))
  } finally {
    lock.release()
  }
}

const build = async (
  folder: string,
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<TemporalServerPrograms> => {
  const go = programOnPath("go", env)
  if (go === undefined) throw new Error("no `go` on PATH: install Go to build the Temporal server")
  const draft = await mkdtemp(path.join(folder, "draft-"))
  try {
    const end = await runUntilDone({
      program: go,
      args: [
        "install",
        "-ldflags=-s -w",
        ...Object.values(sources).map((source) => `${source}@${temporalServerVersion}`),
      ],
      cwd: draft,
      env: { ...goEnvironment(env), GOBIN: draft },
      everyMs: 15_000,
      watch: (elapsedMs) => {
        onProgress(`building the Temporal server once (3–7 minutes) … ${Math.round(elapsedMs / 1000)} s`)
        return "continue"
      },
    })
    if (end.exitCode !== 0) throw new Error(`building the Temporal server failed: ${lastLine(end.errorText)}`)
    for (const name of Object.keys(sources)) await rename(path.join(draft, name), path.join(folder, name))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  const built = findTemporalServer(env)
  if (built === undefined) throw new Error(`building the Temporal server left no programs in ${folder}`)
  return built
}
