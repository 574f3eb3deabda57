import { ApplicationFailure } from "@temporalio/activity"
import type { Message } from "../contracts/message.ts"
import { announceBlock } from "../domain/delegation/announce-block.ts"
import { assertNever } from "../domain/assert-never.ts"
import type { Store } from "../store/store.ts"
import { activityFence } from "./activity-fence.ts"
import { archiveReported } from "./archive-reported.ts"
import { announceFactsOf } from "./delegation/child-facts.ts"
import type { AppendItem, RunScope } from "./agent-activities.ts"

const messageOf = async (store: Store, scope: RunScope, item: AppendItem): Promise<Message> => {
  switch (item.kind) {
    case "text":
      return { role: "user", source: item.source, text: item.text }
    case "announce": {
      const child = await store.sessions.get(item.childId)
      const text = child === undefined ? "" : announceBlock(await announceFactsOf(store, child, item.runId))
      return { role: "user", source: "announce", text }
    }
    case "result":
      return { role: "tool", call_id: item.callId, name: item.name, outcome: item.outcome, content: item.content }
    case "inbox": {
      const row = await store.inbox.get(scope.sessionId, item.inboxId)
      if (row === undefined)
        throw ApplicationFailure.nonRetryable(`message ${item.inboxId} is not in the store`, "storage_failed")
      return { role: "user", source: item.source, text: row.text }
    }
    default:
      return assertNever(item)
  }
}

/** Writes the rows that the workflow gave a place, under the fence of the activity that runs now. */
export const appendRows = async (
  store: Store,
  scope: RunScope,
  append: { readonly step: number; readonly items: readonly AppendItem[] },
): Promise<void> => {
  if (append.items.length === 0) return
  const fence = activityFence()
  const rows = await Promise.all(
    append.items.map(async (item) => ({
      seq: item.seq,
      runId: scope.runId,
      step: append.step,
      fence,
      message: await messageOf(store, scope, item),
    })),
  )
  await store.messages.putAll(scope.sessionId, rows)
  for (const item of append.items) if (item.kind === "announce") await archiveReported(store, item.childId)
}
