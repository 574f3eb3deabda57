import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime"
import { rgPath } from "@vscode/ripgrep"
import { signalPid } from "../process/process-mark.ts"
import { createRuntimeAsker, type AskRuntime } from "./ask-runtime.ts"

export interface RuntimeProcessOptions {
  /** Absolute path of `bwrap`; undefined on macOS. */
  readonly bubblewrap: string | undefined
  /** Absolute path of `socat`; required on Linux if hosts are allowed. */
  readonly socat: string | undefined
  /** Hosts that commands can reach through the runtime's proxies. Empty: no network and no proxies. */
  readonly allowedDomains: readonly string[]
}

export interface RuntimeProcess {
  readonly ask: AskRuntime
  /** Paths that every command must be able to read. */
  readonly ownPaths: readonly string[]
  readonly hasEnded: () => boolean
  close(): Promise<void>
}

/** Variables of the worker's environment that the runtime needs: to find programs and directories, and to use a proxy. */
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

const runtimeConfig = ({ bubblewrap, socat, allowedDomains }: RuntimeProcessOptions): SandboxRuntimeConfig => ({
  network: { allowedDomains: [...allowedDomains], deniedDomains: [] },
  filesystem: { denyRead: ["/"], allowRead: [], allowWrite: [], denyWrite: [] },
  ripgrep: { command: rgPath },
  ...(bubblewrap === undefined ? {} : { bwrapPath: bubblewrap }),
  ...(socat === undefined ? {} : { socatPath: socat }),
})

/** Returns the directory of the runtime's own programs. Throws if the package is missing. */
export const runtimeHelpers = (): string =>
  fileURLToPath(new URL("../vendor/seccomp", import.meta.resolve("@anthropic-ai/sandbox-runtime")))

/** Starts the runtime's process, with the directory of its own programs. It does not keep this process alive. */
export const startRuntimeProcess = async (options: RuntimeProcessOptions, helpers: string): Promise<RuntimeProcess> => {
  const child = fork(hostFile(), [], {
    cwd: helpers,
    env: hostEnvironment(),
    execArgv: [],
    // In its own process group, since the worker handles Ctrl-C.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  let hasEnded = false
  child.once("error", () => {})
  child.once("exit", () => {
    hasEnded = true
    // Its relay belongs to its group and would survive if the process was killed.
    if (child.pid !== undefined) signalPid(-child.pid, "SIGKILL")
  })
  child.unref()
  const ask = createRuntimeAsker(child)
  try {
    const proxies = options.allowedDomains.length > 0
    const sockets = await ask({ type: "start", config: runtimeConfig(options), proxies })
    return {
      ask,
      ownPaths: [helpers, ...sockets],
      hasEnded: () => hasEnded,
      async close() {
        if (!child.connected) return
        const exited = once(child, "exit")
        child.ref()
        child.disconnect()
        await exited
      },
    }
  } catch (error) {
    if (child.connected) child.disconnect()
    throw error
  }
}
