import {
  sessionsSendInputSchema,
  type SubagentsInput,
  subagentsInputSchema,
} from "../../contracts/delegation/sessions-input.ts"
import { cancelTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { sentAnswer } from "../../domain/delegation/answers/sent-answer.ts"
import { cancelledAnswer, killedAnswer } from "../../domain/delegation/answers/stopped-answer.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { defineAnswering, defineTool, invalid, requireNamed } from "./define-tool.ts"
import { listOwn, showDiff, showHistory, showInfo } from "./look.ts"
import { type MessageTo, now, type Reply, type SubAgents } from "./sub-agents.ts"
import { waitFor } from "./wait.ts"

/** Sends a message to a sub-agent that was found. */
export const send = async <Later>(
  port: Pick<SubAgents<Later>, "surface" | "send">,
  message: MessageTo,
): Promise<Reply<ToolAnswer, Later>> => {
  const sent = await port.send(message)
  return sent.kind === "later" ? sent : now(sentAnswer(message.id, sent.value, port.surface))
}

export const sessionsSend = defineTool(sessionsSendInputSchema, async (port, { sessionKey, message: text }) =>
  send(port, { id: await requireNamed(port, sessionKey, { for: "managing" }), text, type: "follow_up" }),
)

/** Cancels a task. Of one that has ended, the answer is its status. */
export const cancelTask = defineAnswering(cancelTaskInputSchema, async (port, { task_id: taskId }) =>
  cancelledAnswer(await port.cancel(await requireNamed(port, taskId, { for: "task" }))),
)

const kill = async <Later>(port: SubAgents<Later>, target: string | undefined): Promise<ToolAnswer> => {
  if (target === undefined) throw invalid("target: kill needs a sub-agent, or all for all of your sub-agents")
  const ids = target === "all" ? await port.stoppable() : [await requireNamed(port, target, { for: "managing" })]
  return killedAnswer(await Promise.all(ids.map((id) => port.cancel(id))))
}

const requireTarget = ({ action, target }: SubagentsInput): string => {
  if (target === undefined || target === "all")
    throw invalid(`target: ${action} needs one sub-agent: an id, a label, a session key or #n`)
  return target
}

const tell = async <Later>(port: SubAgents<Later>, input: SubagentsInput): Promise<Reply<ToolAnswer, Later>> => {
  const id = await requireNamed(port, requireTarget(input), { for: "managing" })
  const { action, message } = input
  if (message === undefined) throw invalid(`message: ${action} needs a text`)
  return send(port, { id, text: message, type: action === "steer" ? "steering" : "follow_up" })
}

const waitForTargets = async <Later>(
  port: SubAgents<Later>,
  { target, timeoutSeconds }: SubagentsInput,
): Promise<Reply<ToolAnswer, Later>> => {
  const isAll = target === undefined || target === "all"
  const ids = isAll ? await port.open() : [await requireNamed(port, target, { for: "managing" })]
  return waitFor(port, { ids, timeoutSeconds })
}

/** Manages the sub-agents of a caller. */
export const subagents = defineTool(subagentsInputSchema, async (port, input) => {
  const { action } = input
  const toRead = () => requireNamed(port, requireTarget(input), { for: "reading" })
  switch (action) {
    case "list":
      return now(await listOwn(port))
    case "info":
      return now(await showInfo(port, await toRead()))
    case "diff":
      return now(await showDiff(port, await toRead()))
    case "log":
      return now(await showHistory(port, await toRead(), input))
    case "send":
    case "steer":
      return tell(port, input)
    case "kill":
      return now(await kill(port, input.target))
    case "wait":
      return waitForTargets(port, input)
    default:
      return assertNever(action)
  }
})
