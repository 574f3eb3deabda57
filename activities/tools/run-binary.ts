import { access, constants } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import type { Execution, RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import { type ProgramAnswer, readProgramAnswer } from "../../domain/programs/program-answer.ts"
import { programInput } from "../../domain/programs/program-input.ts"
import { activityFence } from "../run/activity-fence.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { plantedNotice } from "../../domain/workspace/planted-paths.ts"
import { scratchDirectory } from "../../domain/workspace/scratch-directory.ts"
import type { ProgramResult } from "../../tools/sandbox/sandbox.ts"
import type { AgentActivities, RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { createPlantedReport } from "./report-planted.ts"
import { type Instruction, instructionOf } from "./instruction-of.ts"
import { commandTool, executeCommand, refuseCommand } from "./run-command.ts"
import { loadCall } from "./load-call.ts"
import { completed, failed, failedPlace, notMade, type NotMade, type RunCallEnd, runWork } from "./run-result.ts"
import { callSignal, runCall } from "../followed-calls.ts"
import { judgeStart } from "../approval/call-facts.ts"
import { programName, sandboxModeOf } from "../../domain/approval/process-sandbox.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"

export const maxBinaryOutputBytes = 10 * 1024 * 1024
const maxStderrBytes = 4_000

type Binary = Extract<Execution, { type: "binary" }>

const withStderr = (text: string, { stderrEnd }: ProgramResult): string =>
  stderrEnd.trim() === "" ? text : `${text}: ${stderrEnd.trim()}`

/** What the end of a program means for its run. */
const endOf = (
  result: ProgramResult,
  execution: Binary,
  { agent, answer }: { readonly agent: string; readonly answer: ProgramAnswer },
): RunCallEnd => {
  const partial = answer.text
  switch (result.stoppedFor) {
    case "timeout":
      return failed({
        stopReason: "timeout",
        code: "timeout",
        message: withStderr(
          `the program ran longer than ${execution.timeoutMs} ms (agents.${agent}.timeoutMs) and was stopped with everything it started`,
          result,
        ),
        partial,
      })
    case "output":
      return failed({
        code: "output_too_large",
        message: `the program wrote more than ${maxBinaryOutputBytes / 1024 / 1024} MiB to its standard output and was stopped: let it write less`,
      })
    case "abort":
      return failed({
        code: "cancelled",
        message: "the program was cancelled and stopped with everything it started",
        partial,
      })
    case null:
      break
  }
  if (result.exitCode === 0 && answer.failure === undefined) return completed(answer.text)
  const how =
    result.exceeded !== undefined
      ? `was ended: ${result.exceeded}`
      : result.signal === null
        ? `ended with exit code ${result.exitCode ?? "unknown"}`
        : `was ended by ${result.signal}`
  const message =
    answer.failure === undefined ? withStderr(`the program ${how}`, result) : `the program ${how}: ${answer.failure}`
  return failed({ code: "binary_failed", message, partial })
}

/** Where a name is found; undefined where it is not, so that a run can say so better than a shell would. */
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

const executionOf = (snapshot: RunSnapshot): Binary => {
  if (snapshot.execution.type === "binary") return snapshot.execution
  throw ApplicationFailure.nonRetryable(`profile ${snapshot.agent} runs no program`, "internal_error")
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** What an approver wrote instead of the run's own instruction. */
const editedInstruction = ({ arguments: args }: ToolCall): Instruction => ({
  task: textIn(args?.["task"]),
  context: textIn(args?.["context"]),
})

/** Returns why the program is not run; undefined if the gate lets it run. */
const refuseProgram = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, hasBegun }: { readonly snapshot: RunSnapshot; readonly hasBegun: boolean },
): Promise<NotMade | undefined> =>
  notMade(
    await judgeStart(deps, input, {
      ...{ snapshot, hasBegun },
      tool: { name: programName(snapshot.agent), readOnly: false },
      unavailable: deps.allowBinaryAgents
        ? undefined
        : "programs may not run on this worker: set security.allowBinaryAgents to true in its configuration",
    }),
  )

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

/** Records what a program says that it has used: it counts like the usage of a model. */
const recordReported = async (
  { store }: Pick<AgentDependencies, "store">,
  { sessionId, runId, step }: RunToolInput,
  { usage, agent }: { readonly usage: UsageTotals; readonly agent: string },
): Promise<void> => {
  const entry = { sessionId, runId, step, fence: activityFence(), model: programName(agent), ...usage }
  await store.transaction((writes) => writes.usage.put(entry))
}

/** Returns what the run was asked, or what an approver made of it. */
const instructionFor = async (
  deps: Pick<AgentDependencies, "store">,
  input: RunToolInput,
  { context }: RunSnapshot,
): Promise<Instruction> => {
  if (input.isEdited === true) return editedInstruction(await loadCall(deps.store, input))
  const session = await deps.store.sessions.get(input.sessionId)
  return instructionOf(deps.store, session ?? { metadata: {} }, { ...input, headSeq: input.assistantSeq, context })
}

const execute = async (deps: AgentDependencies, input: RunToolInput, snapshot: RunSnapshot): Promise<RunCallEnd> => {
  const execution = executionOf(snapshot)
  const misplaced = await deps.directoryProblem(toolDirectory(snapshot))
  if (misplaced !== undefined) return failedPlace(misplaced)
  const secrets = secretsOf(deps, execution)
  if ("missing" in secrets)
    return failed({
      code: "binary_failed",
      message: `the program needs the environment variable ${secrets.missing}: set it for the worker, or correct agents.${snapshot.agent}.envFrom`,
    })
  const env = { ...deps.toolEnv(snapshot.envAllow), ...execution.env, ...secrets.values }
  const file = await programFile(execution.command, env["PATH"] ?? "")
  if (file === undefined)
    return failed({
      code: "binary_failed",
      message: `the program ${execution.command} is not there or cannot be executed: look at agents.${snapshot.agent}.command`,
    })
  const mode = sandboxModeOf(programName(snapshot.agent), snapshot)
  const sandbox = await deps.sandboxFor(mode, snapshot.timing.killGraceMs)
  const instruction = await instructionFor(deps, input, snapshot)
  const result = await sandbox.runProgram({
    file,
    ...programInput(execution, {
      delegationId: input.sessionId,
      ...instruction,
      tokenBudget: snapshot.limits.budgetTokens,
    }),
    cwd: toolDirectory(snapshot),
    env,
    timeoutMs: execution.timeoutMs,
    killGraceMs: snapshot.timing.killGraceMs,
    signal: callSignal(),
    ownerId: input.sessionId,
    maxStdoutBytes: maxBinaryOutputBytes,
    maxStderrBytes,
    hiddenDirs: await deps.hiddenDirectories(toolDirectory(snapshot)),
    ...(snapshot.taskSandbox === true ? { scratchDir: scratchDirectory(deps.dataDir, input.sessionId) } : {}),
    protection: {
      namedFiles: deps.namedFiles(snapshot),
      onPlanted: createPlantedReport(deps, input, programName(snapshot.agent)),
    },
  })
  const answer = readProgramAnswer(result.stdout, execution.output ?? "auto")
  if (answer.usage !== undefined) await recordReported(deps, input, { usage: answer.usage, agent: snapshot.agent })
  const end = endOf(result, execution, { agent: snapshot.agent, answer })
  const notice = plantedNotice(result.planted)
  return notice === undefined ? end : { ...end, content: `${end.content}\n\n${notice}`.trim() }
}

/** Runs a profile's program, or the command of a task, for one run: at most once, unless the profile says that repeating it is safe. */
export const createRunBinary =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["runBinary"] =>
  (input) =>
    runCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      if (snapshot.execution.type === "command")
        return runWork(deps, input, {
          name: commandTool,
          idempotent: false,
          type: "binary",
          refusal: (hasBegun) => refuseCommand(deps, input, { snapshot, hasBegun }),
          run: () => executeCommand(deps, input, snapshot),
        })
      return runWork(deps, input, {
        name: programName(snapshot.agent),
        idempotent: executionOf(snapshot).idempotent,
        type: "binary",
        refusal: (hasBegun) => refuseProgram(deps, input, { snapshot, hasBegun }),
        run: () =>
          execute(deps, input, snapshot).catch((error: unknown) =>
            failed({
              code: "binary_failed",
              message: `the program could not be run: ${errorMessage(error)}`,
            }),
          ),
      })
    })
