import { ApplicationFailure } from "@temporalio/activity"
import { z } from "zod"
import type { Store } from "../../store/store.ts"
import type { ToolContext, ToolQuestion } from "../../tools/tool.ts"
import { roundOf } from "../approval/call-claim.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

const questionSchema = z.object({ message: z.string(), state: z.string() })

/** What a question belongs to: a call, by its hash. A workflow that was reset can have another one at the same place. */
type Asking = RunToolInput & { readonly hash: string }

/** Questions are stored as inbox rows, so that the server's state enters no history. Earlier versions left out the call. */
const rowIds = ({ runId, resultSeq, hash }: Asking, round: number) => {
  const earlier = `question_${runId}_${resultSeq}_${round}`
  return { earlier, id: `${earlier}_${hash.slice(0, 16)}` }
}

export const storeQuestion = (store: Pick<Store, "inbox">, input: Asking, question: ToolQuestion): Promise<void> =>
  store.inbox.put({
    id: rowIds(input, roundOf(input) + 1).id,
    sessionId: input.sessionId,
    source: "notice",
    text: JSON.stringify(question),
  })

/** Returns the question that this round of the call ended with; undefined where it ended otherwise. */
export const loadQuestion = async (
  store: Pick<Store, "inbox">,
  input: Asking,
  round = roundOf(input) + 1,
): Promise<ToolQuestion | undefined> => {
  const { id, earlier } = rowIds(input, round)
  const row = (await store.inbox.get(input.sessionId, id)) ?? (await store.inbox.get(input.sessionId, earlier))
  return row === undefined ? undefined : questionSchema.parse(JSON.parse(row.text))
}

/** Returns the state that an earlier round stored, with the person's answer; undefined where nobody was asked. */
export const loadAnsweredQuestion = async (
  store: Pick<Store, "inbox">,
  input: Asking,
): Promise<ToolContext["answered"]> => {
  const { answer } = input
  if (answer === undefined) return undefined
  const question = await loadQuestion(store, input, answer.round)
  const text = answer.text ?? (await store.inbox.get(input.sessionId, answer.inboxId))?.text
  if (question === undefined || text === undefined)
    throw ApplicationFailure.nonRetryable("the question that was answered is not in the store", "storage_failed")
  return { state: question.state, text }
}
