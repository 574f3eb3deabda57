import { ApplicationFailure } from "@temporalio/activity"
import { z } from "zod"
import type { Store } from "../../store/store.ts"
import type { ToolContext, ToolQuestion } from "../../tools/tool.ts"
import { roundOf } from "../approval/call-claim.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

const questionSchema = z.object({ message: z.string(), state: z.string() })

/** Questions are stored as inbox rows, so that the server's state enters no history. */
const rowId = (input: RunToolInput, round: number): string => `question_${input.runId}_${input.resultSeq}_${round}`

export const storeQuestion = (
  store: Pick<Store, "inbox">,
  input: RunToolInput,
  question: ToolQuestion,
): Promise<void> =>
  store.inbox.put({
    id: rowId(input, roundOf(input) + 1),
    sessionId: input.sessionId,
    source: "notice",
    text: JSON.stringify(question),
  })

/** Returns the question that this round of the call ended with; undefined where it ended otherwise. */
export const loadQuestion = async (
  store: Pick<Store, "inbox">,
  input: RunToolInput,
  round = roundOf(input) + 1,
): Promise<ToolQuestion | undefined> => {
  const row = await store.inbox.get(input.sessionId, rowId(input, round))
  return row === undefined ? undefined : questionSchema.parse(JSON.parse(row.text))
}

/** Returns the state that an earlier round stored, with the person's answer; undefined where nobody was asked. */
export const loadAnsweredQuestion = async (
  store: Pick<Store, "inbox">,
  input: RunToolInput,
): Promise<ToolContext["answered"]> => {
  const { answer } = input
  if (answer === undefined) return undefined
  const question = await loadQuestion(store, input, answer.round)
  const text = answer.text ?? (await store.inbox.get(input.sessionId, answer.inboxId))?.text
  if (question === undefined || text === undefined)
    throw ApplicationFailure.nonRetryable("the question that was answered is not in the store", "storage_failed")
  return { state: question.state, text }
}
