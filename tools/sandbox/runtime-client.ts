import { fork } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { FilesystemConfig, SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime"
import { rgPath } from "@vscode/ripgrep"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RuntimeAnswer, RuntimeRequest } from "./runtime-messages.ts"

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
  readonly ownPaths: readonly string[]
}

type Ask = RuntimeRequest extends infer Request ? (Request extends unknown ? Omit<Request, "id"> : never) : never

/** What the runtime itself needs of the worker's environment: to find programs, a way out through a proxy, and names of places. */
const hostVariables = ["PATH", "HOME", "TMPDIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]

const hostEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    [...hostVariables, ...hostVariables.slice(3).map((name) => name.toLowerCase())].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  )

const failed = (problem: string): AdjutantError => new AdjutantError("sandbox_unavailable", problem)

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

/** One question to the runtime's process. It keeps this process alive only while it is open. */
const createAsk = (child: ChildProcess) => {
  const open = new Map<number, (answer: RuntimeAnswer) => void>()
  let lastId = 0
  child.on("message", (answer: RuntimeAnswer) => open.get(answer.id)?.(answer))
  child.once("exit", () => {
    for (const [id, settle] of open) settle({ id, problem: "the process of sandbox-runtime has ended" })
  })
  return async (request: Ask): Promise<readonly string[]> => {
    lastId += 1
    const id = lastId
    const answered = new Promise<RuntimeAnswer>((resolve) => open.set(id, resolve))
    child.channel?.ref()
    child.send({ ...request, id }, (error) => {
      if (error !== null) open.get(id)?.({ id, problem: `sandbox-runtime cannot be asked: ${error.message}` })
    })
    const answer = await answered
    open.delete(id)
    if (open.size === 0) child.channel?.unref()
    if ("problem" in answer) throw failed(answer.problem)
    return answer.value
  }
}

/** The runtime in a process of its own, which is started with the first command, and again where it has ended. */
export const createRuntimeClient = (options: RuntimeOptions): RuntimeClient => {
  const helpers = fileURLToPath(new URL("../vendor/seccomp", import.meta.resolve("@anthropic-ai/sandbox-runtime")))
  let starting: Promise<RunningHost & { readonly ask: ReturnType<typeof createAsk> }> | undefined
  let closed = false

  const start = async () => {
    const child = fork(hostFile(), [], {
      cwd: helpers,
      env: hostEnvironment(),
      execArgv: [],
      // In a group of its own: Ctrl-C is the worker's to handle.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    })
    child.once("error", () => {})
    child.once("exit", () => (starting = undefined))
    child.unref()
    const ask = createAsk(child)
    const sockets = await ask({ type: "start", config: configOf(options), proxies: options.allowedDomains.length > 0 })
    return { child, ask, ownPaths: [helpers, ...sockets] }
  }

  const running = async () => {
    if (closed) throw failed("the sandbox is closed")
    starting ??= start()
    try {
      return await starting
    } catch (error) {
      starting = undefined
      throw error
    }
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
