import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import type { HookConfig } from "../../contracts/config/config-services.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import {
  type HookMessage,
  type HookVerdict,
  type ToolHookMessage,
  verdictOfProgram,
  verdictOfResponse,
} from "../../domain/run/hook-event.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { outgoing } from "../../network/outgoing.ts"
import type { ProgramResult } from "../../tools/sandbox/sandbox.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"

const maxAnswerBytes = 64 * 1024
const maxStderrBytes = 2_000

type HookDependencies = Pick<AgentDependencies, "sandboxFor" | "toolEnv" | "env">

export interface HookCall {
  readonly hook: HookConfig
  readonly message: HookMessage | ToolHookMessage
  readonly snapshot: Pick<RunSnapshot, "envAllow" | "timing" | "cwd">
  readonly signal: AbortSignal
}

type Program = Extract<HookConfig, { command: string }>
type Address = Extract<HookConfig, { url: string }>

const howItEnded = (result: ProgramResult, timeoutMs: number): string => {
  if (result.stoppedFor === "timeout") return `it ran longer than ${timeoutMs} ms and was stopped`
  if (result.stoppedFor === "output") return `it wrote more than ${maxAnswerBytes} bytes and was stopped`
  return result.signal === null ? `exit code ${result.exitCode ?? "unknown"}` : `it was ended by ${result.signal}`
}

const runProgram = async (deps: HookDependencies, hook: Program, call: HookCall): Promise<HookVerdict> => {
  const { snapshot, message, signal } = call
  const sandbox = await deps.sandboxFor("off", snapshot.timing.killGraceMs)
  const result = await sandbox.runProgram({
    file: hook.command,
    args: hook.args,
    cwd: hook.cwd ?? toolDirectory(snapshot),
    env: deps.toolEnv(snapshot.envAllow),
    stdin: JSON.stringify(message),
    timeoutMs: hook.timeoutMs,
    killGraceMs: snapshot.timing.killGraceMs,
    signal,
    ownerId: message.session_id,
    maxStdoutBytes: maxAnswerBytes,
    maxStderrBytes,
  })
  return verdictOfProgram({
    exitCode: result.stoppedFor === null ? result.exitCode : null,
    stdout: result.stdout,
    stderr: result.stderrEnd,
    how: howItEnded(result, hook.timeoutMs),
  })
}

const signed = (hook: Address, body: string, env: HookDependencies["env"]): Readonly<Record<string, string>> => {
  if (hook.secretEnv === undefined) return {}
  const secret = env[hook.secretEnv]
  if (secret === undefined || secret === "")
    throw new Error(`the environment variable ${hook.secretEnv} with its secret is not set`)
  const webhook = secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" })
  const id = `msg_${randomUUID()}`
  const now = new Date()
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": webhook.sign(id, now, body),
  }
}

const readAnswer = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error(`its answer is longer than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const post = async (deps: HookDependencies, hook: Address, call: HookCall): Promise<HookVerdict> => {
  const body = JSON.stringify(call.message)
  const limit = AbortSignal.timeout(hook.timeoutMs)
  try {
    const response = await outgoing(hook.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signed(hook, body, deps.env) },
      body,
      redirect: "error",
      signal: AbortSignal.any([call.signal, limit]),
    })
    return verdictOfResponse({ status: response.status, body: await readAnswer(response) })
  } catch (error) {
    if (limit.aborted) return { verdict: "broken", reason: `it did not answer within ${hook.timeoutMs} ms` }
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
    return { verdict: "broken", reason: `${errorMessage(error)}${cause}` }
  }
}

/** Returns the name of a hook for people; a URL is without its secret parts. */
export const hookName = (hook: HookConfig): string => {
  if ("command" in hook) return hook.command
  const { origin, pathname } = new URL(hook.url)
  return `${origin}${pathname}`
}

/** Runs one hook. What goes wrong is a verdict, too; rejects only on cancel. */
export const runHook = async (deps: HookDependencies, call: HookCall): Promise<HookVerdict> => {
  const { hook, signal } = call
  try {
    return await ("command" in hook ? runProgram(deps, hook, call) : post(deps, hook, call))
  } catch (error) {
    return { verdict: "broken", reason: errorMessage(error) }
  } finally {
    signal.throwIfAborted()
  }
}
