import { mkdtemp, readFile, rm } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { type ProjectDirectory, startProgram, type Started } from "./program.ts"

/** A directory without configuration, from which commands use the server of a project: the machine of a CI job. */
export interface RemoteProject extends Pick<ProjectDirectory, "cwd" | "run" | "start"> {
  readonly url: string
  readonly server: Started
  close(): Promise<void>
}

/** Returns the address at which a started server listens. */
export const addressOf = async (server: Started): Promise<string> => {
  await server.stderrHas("listening on ")
  const pattern = /listening on (\S+)\n/
  while (!pattern.test(server.stderr())) await new Promise((resolve) => server.child.stderr?.once("data", resolve))
  return pattern.exec(server.stderr())?.[1] ?? ""
}

/**
 * Starts `adjutant dev` in the project. `run` and `start` run commands with `--server` in another, empty directory; `configured` is their token if the
 * configuration has tokens.
 */
export const startServer = async (project: ProjectDirectory, configured?: string): Promise<RemoteProject> => {
  const server = project.start("dev", "--port", "0")
  const url = await addressOf(server)
  const token = configured ?? (await readFile(path.join(project.dataDir, "api-token"), "utf8"))
  const cwd = await mkdtemp(path.join(os.tmpdir(), "adjutant-thin-"))
  const start = (...argv: readonly string[]): Started =>
    startProgram({ cwd, env: { ADJUTANT_API_TOKEN: token, PATH: "/nowhere" } }, [...argv, "--server", url])
  return {
    cwd,
    url,
    server,
    start,
    run: (...argv) => start(...argv).ended,
    close: async () => {
      server.child.kill("SIGTERM")
      await server.ended
      await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
