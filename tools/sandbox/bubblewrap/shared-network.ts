import { execFile } from "node:child_process"
import { readFile, readlink } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { firstExecutable, usualPaths } from "../try-sandbox.ts"

const trialMs = 5_000
const pollMs = 25
/** How often to look for what a command that has just been started starts. */
const maxLooks = 80

/** Makes commands share the network of a background command of the same run, so that they reach its ports. */
export interface SharedNetwork {
  /** Returns whether commands can join the network of a command. `pid`: the leader of its process group. */
  canJoin(pid: number): Promise<boolean>
  /**
   * Returns what starts bubblewrap in the network of one of `peers`, or a background command in a new one that later commands can join. Undefined
   * if bubblewrap makes the command's network itself.
   */
  entering(command: SharingCommand): Promise<readonly string[] | undefined>
}

export interface SharingCommand {
  readonly peers?: readonly number[] | undefined
  readonly background?: boolean | undefined
}

export interface SharedNetworkOptions {
  /** Absolute path of `bwrap`. */
  readonly program: string
  readonly userNamespace: boolean
}

type Prefix = readonly string[]

const namespace = (pid: number | "self", name: string): string => `/proc/${pid}/ns/${name}`

const isOther = async (pid: number, name: string): Promise<boolean> => {
  const [own, its] = await Promise.all([readlink(namespace("self", name)), readlink(namespace(pid, name))])
  return own !== its
}

/** Returns the first child of a process; undefined if it has none. @throws if the process has ended */
const childOf = async (pid: number): Promise<number | undefined> => {
  const child = Number((await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).split(" ")[0])
  return Number.isInteger(child) && child > 0 ? child : undefined
}

/** Returns the process that shows the network of a command: its leader, if that joined one, or what bubblewrap started. */
const inNetworkOf = async (pid: number): Promise<number | undefined> => {
  try {
    for (let look = 0; look < maxLooks; look += 1) {
      if (await isOther(pid, "net")) return pid
      const child = await childOf(pid)
      if (child !== undefined) return (await isOther(child, "net")) ? child : undefined
      await delay(pollMs)
    }
  } catch {
    // It has ended.
  }
  return undefined
}

const prefixOf = async (nsenter: string, pid: number): Promise<Prefix | undefined> => {
  const inside = await inNetworkOf(pid)
  if (inside === undefined) return undefined
  const hasUsers = await isOther(inside, "user").catch(() => false)
  const user = hasUsers ? [`--user=${namespace(inside, "user")}`, "--preserve-credentials"] : []
  return [nsenter, ...user, `--net=${namespace(inside, "net")}`, "--"]
}

const succeeds = ([file = "", ...args]: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(file, args, { timeout: trialMs, env: {} }, (error) => resolve(error === null))
  })

/** Returns a bubblewrap that ends at once, and needs of the kernel what a command needs. */
const trialOf = ({ program, userNamespace }: SharedNetworkOptions): readonly string[] => [
  program,
  ...(userNamespace ? ["--unshare-user"] : []),
  ...["--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/true"],
]

/**
 * Starts bubblewrap in a namespace of users that owns the network. The one that bubblewrap makes for a user who is not root, to make `/dev` with, is
 * left behind: nobody can join what it owns.
 */
const holderOf = ({ program }: SharedNetworkOptions): Prefix => [
  program,
  ...["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--"],
]

/** Creates access to the networks of background commands. */
export const createSharedNetwork = (options: SharedNetworkOptions): SharedNetwork => {
  const trial = trialOf(options)
  const isRoot = process.getuid?.() === 0
  // What failed is tried again: the machine may have been busy.
  const joinable = new Set<number>()
  let holds = false
  const find = () => firstExecutable(usualPaths("nsenter"))

  const joining = async (pid: number): Promise<Prefix | undefined> => {
    const nsenter = await find()
    const prefix = nsenter === undefined ? undefined : await prefixOf(nsenter, pid)
    if (prefix === undefined) return undefined
    if (!joinable.has(pid) && !(await succeeds([...prefix, ...trial]))) return undefined
    joinable.add(pid)
    return prefix
  }
  const holding = async (): Promise<Prefix | undefined> => {
    if (isRoot || !options.userNamespace || (await find()) === undefined) return undefined
    const holder = holderOf(options)
    holds = holds || (await succeeds([...holder, ...trial]))
    return holds ? holder : undefined
  }
  return {
    canJoin: async (pid) => (await joining(pid)) !== undefined,
    async entering({ peers = [], background }) {
      for (const peer of peers) {
        const joined = await joining(peer)
        if (joined !== undefined) return joined
      }
      return background === true ? await holding() : undefined
    },
  }
}
