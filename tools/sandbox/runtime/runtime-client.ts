import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import type { FilesystemConfig } from "@anthropic-ai/sandbox-runtime"
import { type RuntimeOptions, runtimeHelpers, type RuntimeProcess, startRuntimeProcess } from "./runtime-process.ts"

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

/** The runtime in a process of its own, which is started with the first command, and again where it has ended. */
export const createRuntimeClient = (options: RuntimeOptions): RuntimeClient => {
  const helpers = runtimeHelpers()
  let starting: Promise<RuntimeProcess> | undefined
  let closed = false

  const running = async (): Promise<RuntimeProcess> => {
    if (closed) throw sandboxUnavailable("the sandbox is closed")
    const current = (starting ??= startRuntimeProcess(options, helpers))
    try {
      const runtime = await current
      if (!runtime.hasEnded()) return runtime
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
      if (text === undefined) throw sandboxUnavailable("sandbox-runtime gave no command")
      // Where its process has ended meanwhile, there is nothing left to give back.
      return { text, ended: async () => void (await ask({ type: "ended" }).catch(() => undefined)) }
    },
    async close() {
      closed = true
      const runtime = await starting?.catch(() => undefined)
      await runtime?.close()
    },
  }
}
