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
import { defineAnswering, defineDelegationTool, invalid, requireNamedSubAgent } from "./define-tool.ts"
import { listOwn, showDiff, showHistory, showInfo } from "./look.ts"
import { type MessageTo, replyNow, type Reply, type SubAgents } from "./sub-agents.ts"
import { waitFor } from "./wait.ts"

/** Sends a message to a sub-agent that was found. */
export const sendToSubAgent = async <Later>(
  port: Pick<SubAgents<Later>, "surface" | "send">,
  message: MessageTo,
): Promise<Reply<ToolAnswer, Later>> => {
  const sent = await port.send(message)
  return sent.kind === "later" ? sent : replyNow(sentAnswer(message.id, sent.value, port.surface))
}

export const sessionsSend = defineDelegationTool(sessionsSendInputSchema, async (port, { sessionKey, message: text }) =>
  sendToSubAgent(port, {
    id: await requireNamedSubAgent(port, sessionKey, { for: "managing" }),
    text,
    type: "follow_up",
  }),
)

/** Cancels a task. Of one that has ended, the answer is its status. */
export const cancelTask = defineAnswering(cancelTaskInputSchema, async (port, { task_id: taskId }) =>
  cancelledAnswer(await port.cancel(await requireNamedSubAgent(port, taskId, { for: "task" }))),
)

const kill = async <Later>(port: SubAgents<Later>, target: string | undefined): Promise<ToolAnswer> => {
  if (target === undefined) throw invalid("target: kill needs a sub-agent, or all for all of your sub-agents")
  const ids =
    target === "all" ? await port.stoppable() : [await requireNamedSubAgent(port, target, { for: "managing" })]
  return killedAnswer(await Promise.all(ids.map((id) => port.cancel(id))))
}

const requireTarget = ({ action, target }: SubagentsInput): string => {
  if (target === undefined || target === "all")
    throw invalid(`target: ${action} needs one sub-agent: an id, a label, a session key or #n`)
  return target
}

const tell = async <Later>(port: SubAgents<Later>, input: SubagentsInput): Promise<Reply<ToolAnswer, Later>> => {
  const id = await requireNamedSubAgent(port, requireTarget(input), { for: "managing" })
  const { action, message } = input
  if (message === undefined) throw invalid(`message: ${action} needs a text`)
  return sendToSubAgent(port, { id, text: message, type: action === "steer" ? "steering" : "follow_up" })
}

const waitForTargets = async <Later>(
  port: SubAgents<Later>,
  { target, timeoutSeconds }: SubagentsInput,
): Promise<Reply<ToolAnswer, Later>> => {
  const isAll = target === undefined || target === "all"
  const ids = isAll ? await port.open() : [await requireNamedSubAgent(port, target, { for: "managing" })]
  return waitFor(port, { ids, timeoutSeconds })
}

/** Manages the sub-agents of a caller. */
export const subagents = defineDelegationTool(subagentsInputSchema, async (port, input) => {
  const { action } = input
  const toRead = () => requireNamedSubAgent(port, requireTarget(input), { for: "reading" })
  switch (action) {
    case "list":
      return replyNow(await listOwn(port))
    case "info":
      return replyNow(await showInfo(port, await toRead()))
    case "diff":
      return replyNow(await showDiff(port, await toRead()))
    case "log":
      return replyNow(await showHistory(port, await toRead(), input))
    case "send":
    case "steer":
      return tell(port, input)
    case "kill":
      return replyNow(await kill(port, input.target))
    case "wait":
      return waitForTargets(port, input)
    default:
      return assertNever(action)
  }
})
