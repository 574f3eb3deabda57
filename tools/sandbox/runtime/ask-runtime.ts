import type { FilesystemConfig, SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime"
import type { ChildProcess } from "node:child_process"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"

/** Requests of the worker to the runtime's process. */
export type RuntimeRequest =
  /** The first request: the configuration, and whether to start proxies. */
  | { readonly id: number; readonly type: "start"; readonly config: SandboxRuntimeConfig; readonly proxies: boolean }
  /** Returns the shell command that runs `script` confined. Each `wrap` is followed by one `ended`. */
  | {
      readonly id: number
      readonly type: "wrap"
      readonly script: string
      readonly shell: string
      readonly filesystem: FilesystemConfig
    }
  | { readonly id: number; readonly type: "ended" }

/** `value`: the sockets of the proxies for `start`, the shell command for `wrap`. */
export type RuntimeAnswer =
  | { readonly id: number; readonly value: readonly string[] }
  | { readonly id: number; readonly problem: string }

type Ask = RuntimeRequest extends infer Request ? (Request extends unknown ? Omit<Request, "id"> : never) : never

/** Sends a request. @throws AdjutantError `sandbox_unavailable` with the runtime's message, or if its process ends */
export type AskRuntime = (request: Ask) => Promise<readonly string[]>

/** Creates a function that sends requests to the runtime's process. This process stays alive only while a request is open. */
export const createRuntimeAsker = (child: ChildProcess): AskRuntime => {
  const open = new Map<number, (answer: RuntimeAnswer) => void>()
  let lastId = 0
  child.on("message", (answer: RuntimeAnswer) => open.get(answer.id)?.(answer))
  child.once("exit", () => {
    for (const [id, settle] of open) settle({ id, problem: "the process of sandbox-runtime has ended" })
  })
  return async (request) => {
    lastId += 1
    const id = lastId
    const answered = new Promise<RuntimeAnswer>((resolve) => open.set(id, resolve))
    child.channel?.ref()
    child.send({ ...request, id }, (error) => {
      if (error !== null) open.get(id)?.({ id, problem: `sandbox-runtime cannot be reached: ${error.message}` })
    })
    const answer = await answered
    open.delete(id)
    if (open.size === 0) child.channel?.unref()
    if ("problem" in answer) throw sandboxUnavailable(answer.problem)
    return answer.value
  }
}
