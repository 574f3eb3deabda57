import { execFile } from "node:child_process"
import { readFile, readlink } from "node:fs/promises"
import { firstExecutable, usualPaths } from "../try-sandbox.ts"

const trialMs = 5_000

/** Makes commands join the network of a background command of the same run, so that they reach its ports. */
export interface SharedNetwork {
  /** Returns whether commands can join the network of a command, which is tried once. `pid`: its bubblewrap. */
  canJoin(pid: number): Promise<boolean>
  /** Returns what starts bubblewrap in the network of a command; undefined if it cannot be joined, or has ended. */
  joining(pid: number): Promise<readonly string[] | undefined>
}

const namespace = (pid: number | "self", name: string): string => `/proc/${pid}/ns/${name}`

/** Returns the process that bubblewrap started inside of the sandbox. */
const insideOf = async (pid: number): Promise<number | undefined> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "")
  const child = Number(children.split(" ")[0])
  return Number.isInteger(child) && child > 0 ? child : undefined
}

const isOther = async (pid: number, name: string): Promise<boolean> => {
  const [own, its] = await Promise.all([readlink(namespace("self", name)), readlink(namespace(pid, name))])
  return own !== its
}

const prefixOf = async (program: string, pid: number): Promise<readonly string[] | undefined> => {
  const child = await insideOf(pid)
  if (child === undefined) return undefined
  try {
    if (!(await isOther(child, "net"))) return undefined
    const user = (await isOther(child, "user")) ? [`--user=${namespace(child, "user")}`, "--preserve-credentials"] : []
    return [program, ...user, `--net=${namespace(child, "net")}`, "--"]
  } catch {
    return undefined
  }
}

const succeeds = ([file = "", ...args]: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: trialMs, env: {} }, (error) => resolve(error === null))
  })

/** Creates access to the networks of background commands. @param bubblewrap the program and what it always needs */
export const createSharedNetwork = (bubblewrap: readonly string[]): SharedNetwork => {
  let works: Promise<boolean> | undefined
  const tried = async (pid: number): Promise<boolean> => {
    const program = await firstExecutable(usualPaths("nsenter"))
    const prefix = program === undefined ? undefined : await prefixOf(program, pid)
    return prefix !== undefined && succeeds([...prefix, ...bubblewrap, "--ro-bind", "/", "/", "--", "/bin/true"])
  }
  return {
    canJoin: (pid) => (works ??= tried(pid)),
    async joining(pid) {
      const program = await firstExecutable(usualPaths("nsenter"))
      return program !== undefined && (await (works ??= tried(pid))) ? prefixOf(program, pid) : undefined
    },
  }
}
