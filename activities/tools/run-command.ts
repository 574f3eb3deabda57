import { ApplicationFailure } from "@temporalio/activity"
import { bashInputSchema } from "../../contracts/tool-input.ts"
import type { Execution, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type Redact, redactedTail } from "../../domain/text/redact.ts"
import type { ToolContext } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { judgeStart } from "../approval/call-facts.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { argumentProblems } from "../model/argument-problems.ts"
import { offeredTool } from "../model/offered-tools.ts"
import { loadCall } from "./load-call.ts"
import { completed, failed, failedPlace, notMade, type NotMade, type RunCallEnd } from "./run-result.ts"
import { toolContext } from "./tool-context.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"

type Command = Extract<Execution, { type: "command" }>

/** The tool whose policy, sandbox and limits apply to the command of a task. */
export const commandTool = "Bash"

const showEveryMs = 1_000
const shownCharacters = 500
/** Far more than is shown: a secret of which only the end is kept is not recognized. */
const keptBytes = 32 * shownCharacters

/** Shows the last output of a command while it runs, without secrets. The end of each burst is shown, too. */
const createOutputTail = (show: NonNullable<ToolContext["progress"]>, redact: Redact) => {
  let bytes = 0
  let tail = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  return {
    add(chunk: Buffer) {
      bytes += chunk.length
      tail = Buffer.concat([tail, chunk]).subarray(-keptBytes)
      timer ??= setTimeout(() => {
        timer = undefined
        show({ progress: bytes, message: redactedTail(tail.toString("utf8"), shownCharacters, redact) })
      }, showEveryMs)
    },
    stop: () => clearTimeout(timer),
  }
}

/** Returns why the command is not run; undefined if the gate lets it run. */
export const refuseCommand = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, hasBegun }: { readonly snapshot: RunSnapshot; readonly hasBegun: boolean },
): Promise<NotMade | undefined> => {
  const tool = await offeredTool(deps, snapshot, commandTool)
  return notMade(
    await judgeStart(deps, input, {
      ...{ snapshot, hasBegun },
      tool: { name: commandTool, readOnly: false },
      unavailable: "problem" in tool ? tool.problem : undefined,
    }),
  )
}

const executionOf = ({ execution, agent }: RunSnapshot): Command => {
  if (execution.type === "command") return execution
  throw ApplicationFailure.nonRetryable(`the run of ${agent} is not a command`, "internal_error")
}

/** Runs the command of a task as Bash would run it, but for longer, and shows its last output meanwhile. */
export const executeCommand = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<RunCallEnd> => {
  const { timeoutMs: limitMs } = executionOf(snapshot)
  const context = await toolContext(deps, input, { snapshot, name: commandTool })
  const misplaced = await deps.directoryProblem(toolDirectory(snapshot))
  if (misplaced !== undefined) return failedPlace(misplaced)
  const parsed = bashInputSchema.safeParse((await loadCall(deps.store, input)).arguments)
  if (!parsed.success) return failed({ code: "invalid_argument", message: argumentProblems(parsed.error) })
  const { command, timeout_ms: askedMs = limitMs } = parsed.data
  const tail = createOutputTail(context.progress ?? (() => undefined), deps.redact)
  try {
    const end = await deps.runCommand(command, context, {
      timeoutMs: Math.min(askedMs, limitMs),
      onOutput: (chunk) => tail.add(chunk),
    })
    if (end.aborted)
      return failed({ code: "cancelled", message: "the command was cancelled and stopped", partial: end.output })
    if (end.problem === undefined) return completed(end.output === "" ? "(no output)" : end.output)
    return failed({
      ...(end.timedOut ? { stopReason: "timeout", code: "timeout" } : { code: "command_failed" }),
      message: end.problem,
      partial: end.output,
    })
  } finally {
    tail.stop()
    await deps.streamed.flush(input.sessionId)
  }
}
