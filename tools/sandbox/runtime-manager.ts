import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { SandboxManager } from "@anthropic-ai/sandbox-runtime"
import { rgPath } from "@vscode/ripgrep"

type Manager = typeof SandboxManager

/** The runtime of this process, for one sandbox. */
export interface RuntimeManager {
  readonly manager: Manager
  /** What a command must be able to read for the runtime to work inside. */
  readonly ownPaths: readonly string[]
  close(): Promise<void>
}

export interface RuntimePrograms {
  /** Absolute path of `bwrap`; undefined on macOS. */
  readonly bubblewrap: string | undefined
  /** Absolute path of `socat`; needed on Linux where hosts are allowed. */
  readonly socat: string | undefined
}

/**
 * How many sandboxes of this process use the runtime's proxies. The runtime is one per process and its own module, so this is, too;
 * each command brings its own rules, and the list of its hosts.
 */
let users = 0
let ready: Promise<void> | undefined

/** The runtime would take over SIGINT and SIGTERM, whose default then no longer ends the process. */
const keepingSignals = async (work: () => Promise<void>): Promise<void> => {
  const signals = ["SIGINT", "SIGTERM"] as const
  const before = signals.map((signal) => new Set(process.listeners(signal)))
  await work()
  for (const [index, signal] of signals.entries())
    for (const listener of process.listeners(signal))
      if (before[index]?.has(listener) === false) process.removeListener(signal, listener)
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** A relay that outlived a killed worker would keep its socket open: where the system can, it dies with the worker. */
const relayProgram = async (socat: string): Promise<string> => {
  const script = fileURLToPath(new URL("./socat-of-worker.sh", import.meta.url))
  const usable = socat === "/usr/bin/socat" && (await isExecutable("/usr/bin/setpriv")) && (await isExecutable(script))
  return usable ? script : socat
}

/** Loads the runtime, and with `proxies` starts those of this process. @throws where the package is missing or they cannot start */
export const openRuntime = async (programs: RuntimePrograms, proxies: boolean): Promise<RuntimeManager> => {
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime")
  const helperDir = fileURLToPath(new URL("../vendor/seccomp", import.meta.resolve("@anthropic-ai/sandbox-runtime")))
  const relay = programs.socat === undefined ? "" : await relayProgram(programs.socat)
  const config = {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: ["/"], allowRead: [], allowWrite: [], denyWrite: [] },
    ripgrep: { command: rgPath },
    ...(programs.bubblewrap === undefined ? {} : { bwrapPath: programs.bubblewrap }),
    ...(relay === "" ? {} : { socatPath: relay }),
  }
  let closed = false
  if (proxies) {
    users += 1
    try {
      await (ready ??= keepingSignals(() => manager.initialize(config)))
    } catch (error) {
      users -= 1
      ready = undefined
      throw error
    }
  } else if (ready === undefined) manager.updateConfig(config)
  const sockets = proxies ? [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath()] : []
  return {
    manager,
    ownPaths: [helperDir, ...(proxies && relay !== "" ? [relay] : []), ...sockets.filter((path) => path !== undefined)],
    async close() {
      if (!proxies || closed) return
      closed = true
      users -= 1
      if (users > 0) return
      ready = undefined
      await manager.reset()
    },
  }
}
