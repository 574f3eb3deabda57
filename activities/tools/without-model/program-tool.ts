import { access, constants } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { z } from "zod"
import type { Execution, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { programName } from "../../../domain/approval/process-sandbox.ts"
import type { UsageTotals } from "../../../domain/limits/usage-totals.ts"
import { type ProgramAnswer, readProgramAnswer } from "../../../domain/programs/program-answer.ts"
import { programInput } from "../../../domain/programs/program-input.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { plantedNotice } from "../../../domain/workspace/planted-paths.ts"
import type { ProgramResult } from "../../../tools/sandbox/sandbox.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunToolInput } from "../../contract/agent-activities.ts"
import { activityFence } from "../../transcript/activity-fence.ts"
import type { CallResult, CallTool, MissingTool } from "../call-manner.ts"
import type { Instruction } from "../../transcript/instruction-of.ts"
import { failedRunCall } from "./failed-call.ts"

const maxBinaryOutputBytes = 10 * 1024 * 1024
const maxStderrBytes = 4_000

type Binary = Extract<Execution, { type: "binary" }>

const withStderr = (text: string, { stderrEnd }: ProgramResult): string =>
  stderrEnd.trim() === "" ? text : `${text}: ${stderrEnd.trim()}`

/** What the end of a program means for its run. */
const programEnd = (
  result: ProgramResult,
  execution: Binary,
  { agent, answer }: { readonly agent: string; readonly answer: ProgramAnswer },
): CallResult => {
  const partial = answer.text
  switch (result.stoppedFor) {
    case "timeout":
      return failedRunCall({
        stopReason: "timeout",
        code: "timeout",
        message: withStderr(
          `the program ran longer than ${execution.timeoutMs} ms (agents.${agent}.timeoutMs) and was stopped with everything it started`,
          result,
        ),
        partial,
      })
    case "output":
      return failedRunCall({
        code: "output_too_large",
        message: `the program wrote more than ${maxBinaryOutputBytes / 1024 / 1024} MiB to its standard output and was stopped: let it write less`,
      })
    case "abort":
      return failedRunCall({
        code: "cancelled",
        message: "the program was cancelled and stopped with everything it started",
        partial,
      })
    case null:
      break
  }
  if (result.exitCode === 0 && answer.failure === undefined) return { content: answer.text }
  const how =
    result.exceeded !== undefined
      ? `was ended: ${result.exceeded}`
      : result.signal === null
        ? `ended with exit code ${result.exitCode ?? "unknown"}`
        : `was ended by ${result.signal}`
  const message =
    answer.failure === undefined ? withStderr(`the program ${how}`, result) : `the program ${how}: ${answer.failure}`
  return failedRunCall({ code: "binary_failed", message, partial })
}

/** Returns the file of a command; undefined if there is none. The run then says which command is missing, which the shell's own error would not. */
const programFile = async (command: string, path: string): Promise<string | undefined> => {
  const candidates = isAbsolute(command) ? [command] : path.split(":").map((folder) => join(folder || ".", command))
  for (const file of candidates)
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file
  return undefined
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** Reads what the program is told: the instruction of the run, or the one that an approver wrote instead. */
const instructionIn = (args: unknown): Instruction => {
  const given = isRecord(args) ? args : {}
  return { task: textIn(given["task"]), context: textIn(given["context"]) }
}

/** Returns the values of a program's secrets, or the name of one that this worker does not have. */
const secretsOf = (
  { env }: Pick<AgentDependencies, "env">,
  { envFrom = {} }: Binary,
): { readonly values: Readonly<Record<string, string>> } | { readonly missing: string } => {
  const values: Record<string, string> = {}
  for (const [own, variable] of Object.entries(envFrom)) {
    const value = env[variable] ?? ""
    if (value === "") return { missing: variable }
    values[own] = value
  }
  return { values }
}

/** Records the usage that a program reports. It counts like that of a model. */
const recordReported = async (
  { store }: Pick<AgentDependencies, "store">,
  { sessionId, runId, step }: RunToolInput,
  { usage, agent }: { readonly usage: UsageTotals; readonly agent: string },
): Promise<void> => {
  const entry = { sessionId, runId, step, fence: activityFence(), model: programName(agent), ...usage }
  await store.transaction((writes) => writes.usage.put(entry))
}

interface Program {
  readonly snapshot: RunSnapshot
  readonly execution: Binary
}

const execute = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, execution }: Program,
  [args, context]: Parameters<CallTool["execute"]>,
): Promise<CallResult> => {
  const secrets = secretsOf(deps, execution)
  if ("missing" in secrets)
    return failedRunCall({
      code: "binary_failed",
      message: `the program needs the environment variable ${secrets.missing}: set it for the worker, or correct agents.${snapshot.agent}.envFrom`,
    })
  const env = { ...context.env, ...execution.env, ...secrets.values }
  const file = await programFile(execution.command, env["PATH"] ?? "")
  if (file === undefined)
    return failedRunCall({
      code: "binary_failed",
      message: `the program ${execution.command} is not there or cannot be executed: look at agents.${snapshot.agent}.command`,
    })
  const result = await context.sandbox.runProgram({
    file,
    ...programInput(execution, {
      delegationId: context.sessionId,
      ...instructionIn(args),
      tokenBudget: snapshot.limits.budgetTokens,
    }),
    cwd: context.cwd,
    env,
    timeoutMs: execution.timeoutMs,
    killGraceMs: snapshot.timing.killGraceMs,
    signal: context.signal,
    ownerId: context.sessionId,
    maxStdoutBytes: maxBinaryOutputBytes,
    maxStderrBytes,
    hiddenDirs: await deps.hiddenDirectories(context.cwd),
    ...(context.scratchDir === undefined ? {} : { scratchDir: context.scratchDir }),
    protection: { namedFiles: context.namedFiles ?? [], onPlanted: context.onPlanted },
  })
  const answer = readProgramAnswer(result.stdout, execution.output ?? "auto")
  if (answer.usage !== undefined) await recordReported(deps, input, { usage: answer.usage, agent: snapshot.agent })
  const end = programEnd(result, execution, { agent: snapshot.agent, answer })
  const notice = plantedNotice(result.planted)
  return notice === undefined ? end : { ...end, content: `${end.content}\n\n${notice}`.trim() }
}

/** Returns a profile's program as the one tool of a run. */
export const programTool = (deps: AgentDependencies, input: RunToolInput, program: Program): CallTool | MissingTool => {
  if (!deps.allowBinaryAgents)
    return {
      problem: "programs may not run on this worker: set security.allowBinaryAgents to true in its configuration",
    }
  const { idempotent } = program.execution
  return {
    ...{ name: programName(program.snapshot.agent), description: "", readOnly: false, idempotent },
    input: z.unknown(),
    execute: (...call) => execute(deps, input, program, call),
  }
}
