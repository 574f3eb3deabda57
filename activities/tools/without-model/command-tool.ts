import { z } from "zod"
import { bashInputSchema } from "../../../contracts/tool-input.ts"
import type { Execution, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import { argumentProblems } from "../../model/argument-problems.ts"
import { offeredTool } from "../../model/offer/offered-tools.ts"
import type { CallResult, CallTool, MissingTool } from "../call-manner.ts"
import { createOutputTail } from "../output-tail.ts"
import { failedRunCall } from "./failed-call.ts"

type Command = Extract<Execution, { type: "command" }>

/** The tool whose policy, sandbox and limits apply to the command of a task. */
export const commandToolName = "Bash"

/** Runs the command of a task as Bash would run it, but for longer, and shows its last output meanwhile. */
const execute = async (
  deps: Pick<AgentDependencies, "redact" | "runCommand">,
  limitMs: number,
  [args, context]: Parameters<CallTool["execute"]>,
): Promise<CallResult> => {
  const parsed = bashInputSchema.safeParse(args)
  if (!parsed.success) return failedRunCall({ code: "invalid_argument", message: argumentProblems(parsed.error) })
  const { command, timeout_ms: askedMs = limitMs } = parsed.data
  const tail = createOutputTail(context.progress ?? (() => undefined), deps.redact)
  try {
    const end = await deps.runCommand(command, context, {
      timeoutMs: Math.min(askedMs, limitMs),
      onOutput: (chunk) => tail.add(chunk),
    })
    if (end.aborted)
      return failedRunCall({ code: "cancelled", message: "the command was cancelled and stopped", partial: end.output })
    if (end.problem === undefined) return { content: end.output === "" ? "(no output)" : end.output }
    return failedRunCall({
      ...(end.timedOut ? { stopReason: "timeout", code: "timeout" } : { code: "command_failed" }),
      message: end.problem,
      partial: end.output,
    })
  } finally {
    tail.stop()
  }
}

/** Returns Bash as the one tool of a command task. */
export const commandTool = async (
  deps: AgentDependencies,
  { snapshot, execution }: { readonly snapshot: RunSnapshot; readonly execution: Command },
): Promise<CallTool | MissingTool> => {
  const bash = await offeredTool(deps, snapshot, commandToolName)
  if ("problem" in bash) return bash
  return {
    ...{ name: commandToolName, description: bash.description, readOnly: false, idempotent: false },
    input: z.unknown(),
    execute: (...call) => execute(deps, execution.timeoutMs, call),
  }
}
