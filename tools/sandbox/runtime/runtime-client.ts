import { fork } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { FilesystemConfig, SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime"
import { rgPath } from "@vscode/ripgrep"
import { createAsk, failed } from "./ask-runtime.ts"
import type { AskRuntime } from "./ask-runtime.ts"
import { signalProcess } from "../process/process-mark.ts"

export interface RuntimeOptions {
  /** Absolute path of `bwrap`; undefined on macOS. */
  readonly bubblewrap: string | undefined
  /** Absolute path of `socat`; needed on Linux where hosts are allowed. */
  readonly socat: string | undefined
  /** Hosts that commands reach through the runtime's proxies; empty: no network at all, and no proxies. */
  readonly allowedDomains: readonly string[]
}

export interface WrappedCommand {
  /** A simple shell command. */
  readonly text: string
  /** To be called once, when it has ended or was not started. */
  ended(): Promise<void>
}

export interface RuntimeClient {
  /** Runs `script` in `shell`; `filesystem` is asked for once the runtime runs, with what it needs to be readable itself. */
  wrap(
    script: string,
    shell: string,
    filesystem: (ownPaths: readonly string[]) => FilesystemConfig,
  ): Promise<WrappedCommand>
  close(): Promise<void>
}

interface RunningHost {
  readonly child: ChildProcess
  readonly ask: AskRuntime
  readonly ownPaths: readonly string[]
}

/** What the runtime itself needs of the worker's environment: to find programs, a way out through a proxy, and names of places. */
const hostVariables = ["PATH", "HOME", "TMPDIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]

const hostEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    [...hostVariables, ...hostVariables.slice(3).map((name) => name.toLowerCase())].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  )

const hostFile = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./runtime-host${extension}`, import.meta.url))
}

const configOf = ({ bubblewrap, socat, allowedDomains }: RuntimeOptions): SandboxRuntimeConfig => ({
  network: { allowedDomains: [...allowedDomains], deniedDomains: [] },
  filesystem: { denyRead: ["/"], allowRead: [], allowWrite: [], denyWrite: [] },
  ripgrep: { command: rgPath },
  ...(bubblewrap === undefined ? {} : { bwrapPath: bubblewrap }),
  ...(socat === undefined ? {} : { socatPath: socat }),
})

/** The runtime in a process of its own, which is started with the first command, and again where it has ended. */
export const createRuntimeClient = (options: RuntimeOptions): RuntimeClient => {
  const helpers = fileURLToPath(new URL("../vendor/seccomp", import.meta.resolve("@anthropic-ai/sandbox-runtime")))
  const gone = new WeakSet<ChildProcess>()
  let starting: Promise<RunningHost> | undefined
  let closed = false

  const start = async (): Promise<RunningHost> => {
    const child = fork(hostFile(), [], {
      cwd: helpers,
      env: hostEnvironment(),
      execArgv: [],
      // In a group of its own: Ctrl-C is the worker's to handle.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    })
    child.once("error", () => {})
    child.once("exit", () => {
      gone.add(child)
      // Its relay is in its group, and would stay where it was killed.
      if (child.pid !== undefined) signalProcess(-child.pid, "SIGKILL")
    })
    child.unref()
    const ask = createAsk(child)
    try {
      const proxies = options.allowedDomains.length > 0
      const sockets = await ask({ type: "start", config: configOf(options), proxies })
      return { child, ask, ownPaths: [helpers, ...sockets] }
    } catch (error) {
      if (child.connected) child.disconnect()
      throw error
    }
  }

  const running = async (): Promise<RunningHost> => {
    if (closed) throw failed("the sandbox is closed")
    const current = (starting ??= start())
    try {
      const host = await current
      if (!gone.has(host.child)) return host
    } catch (error) {
      if (starting === current) starting = undefined
      throw error
    }
    if (starting === current) starting = undefined
    return running()
  }

  return {
    async wrap(script, shell, filesystem) {
      const { ask, ownPaths } = await running()
      const [text] = await ask({ type: "wrap", script, shell, filesystem: filesystem(ownPaths) })
      if (text === undefined) throw failed("sandbox-runtime gave no command")
      // Where its process has ended meanwhile, there is nothing left to give back.
      return { text, ended: async () => void (await ask({ type: "ended" }).catch(() => undefined)) }
    },
    async close() {
      closed = true
      const host = await starting?.catch(() => undefined)
      if (host === undefined || !host.child.connected) return
      const exited = once(host.child, "exit")
      host.child.ref()
      host.child.disconnect()
      await exited
    },
  }
}
