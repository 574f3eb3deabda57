import { sandboxUnavailable } from "../../sandbox-unavailable.ts"
import type { FilesystemConfig } from "@anthropic-ai/sandbox-runtime"
import {
  type RuntimeProcessOptions,
  runtimeHelpers,
  type RuntimeProcess,
  startRuntimeProcess,
} from "./runtime-process.ts"

export interface WrappedCommand {
  /** A simple shell command. */
  readonly text: string
  /** Must be called once, when the command has ended or was not started. */
  ended(): Promise<void>
}

export interface RuntimeClient {
  /** Returns the command that runs `script` in `shell`. `filesystem` is called when the runtime runs, with the paths that it must be able to read. */
  wrap(
    script: string,
    shell: string,
    filesystem: (ownPaths: readonly string[]) => FilesystemConfig,
  ): Promise<WrappedCommand>
  close(): Promise<void>
}

/** Creates a client of the runtime in its own process. The process starts with the first command, and again after it has ended. */
export const createRuntimeClient = (options: RuntimeProcessOptions): RuntimeClient => {
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
      if (text === undefined) throw sandboxUnavailable("sandbox-runtime returned no command")
      // If its process has ended, there is nothing to release.
      return { text, ended: async () => void (await ask({ type: "ended" }).catch(() => undefined)) }
    },
    async close() {
      closed = true
      const runtime = await starting?.catch(() => undefined)
      await runtime?.close()
    },
  }
}
