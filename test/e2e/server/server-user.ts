import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** A process that uses the embedded server of a data directory. */
export interface ServerUser {
  readonly pid: number
  readonly address: string
  readonly hasSearchAttributes: boolean
  leave(): Promise<void>
  kill(): Promise<void>
}

export const startUser = async (dataDir: string, env: NodeJS.ProcessEnv): Promise<ServerUser> => {
  const program = join(import.meta.dirname, "use-server.ts")
  const child = spawn(process.execPath, [program, dataDir], { env, stdio: ["pipe", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const first: unknown = await new Promise((resolve) => {
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)))
    void exited.then(() => resolve({ error: "ended before it had a server" }))
  })
  if (typeof first !== "object" || first === null || !("address" in first) || !("hasSearchAttributes" in first)) {
    throw new Error(`no server: ${JSON.stringify(first)}`)
  }
  return {
    pid: child.pid ?? 0,
    address: String(first.address),
    hasSearchAttributes: first.hasSearchAttributes === true,
    leave: async () => {
      child.stdin.end()
      await exited
    },
    kill: async () => {
      child.kill("SIGKILL")
      await exited
    },
  }
}
