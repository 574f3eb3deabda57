import { ApplicationFailure } from "@temporalio/activity"
import type { Message } from "../../contracts/message.ts"
import { announceBlock, type AnnounceFacts } from "../../domain/delegation/announce-block.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import { type ToolUse, toolUseOf } from "../../domain/delegation/task/tool-use.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { worktreeView } from "../../sessions/view/worktree-view.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { auditRefusal } from "../approval/audit-refusal.ts"
import { activityFence } from "./activity-fence.ts"
import { noteReported } from "./note-reported.ts"
import type { AppendItem } from "../contract/agent-activities.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { callHash, isClaimOf } from "../approval/call-claim.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"

interface Append {
  readonly step: number
  readonly items: readonly AppendItem[]
  /** Lines for the model before and after the text that starts the run. */
  readonly lead?: string | undefined
  readonly note?: string | undefined
}

/** Returns whether an item is the text that starts the run. If that text is missing, the run fails; any other text that is missing is left out. */
export const startsRun = (item: AppendItem, append: Pick<Append, "step" | "items">): boolean =>
  append.step <= 1 && append.items.find(({ kind }) => kind === "inbox" || kind === "text") === item

const notice = (text: string): Message => ({ role: "user", source: "notice", text })

/** Returns the announced child, if it is in the session's own tree. The id came in a signal, which anybody with access to Temporal can send. */
const announcedChild = async (
  store: Pick<Store, "sessions">,
  scope: RunScope,
  childId: string,
): Promise<SessionRow | undefined> => {
  const child = await store.sessions.get(childId)
  const own = await store.sessions.get(scope.sessionId)
  return child?.rootId === own?.rootId ? child : undefined
}

const toolUse = async (store: Pick<Store, "messages">, row: SessionRow, runId: string): Promise<ToolUse> =>
  toolUseOf(await store.messages.read(row.id, { headSeq: row.headSeq }), runId)

/** Returns the facts about one run of a child for an announcement. */
const announceFacts = async (
  store: Pick<Store, "runs" | "messages" | "usage" | "worktrees">,
  row: SessionRow,
  runId: string,
): Promise<AnnounceFacts> => {
  const run = await store.runs.get(runId)
  const worktree = await store.worktrees.get(row.id)
  const { toolCounts, lastToolText } = await toolUse(store, row, runId)
  return {
    childKey: row.sessionKey,
    childId: row.id,
    label: row.label,
    description: row.title,
    mode: row.internal["mode"] === "session" ? "session" : "run",
    outcome: run === undefined ? null : { status: run.status, stopReason: run.stopReason },
    error: run?.error ?? null,
    resultText: run?.finalMessage ?? null,
    lastToolText,
    toolCounts,
    stepsTaken: run?.stepsTaken ?? 0,
    runtimeMs: runDurationMs(run, Date.now()) ?? 0,
    usage: toUsage(await store.usage.total({ sessionId: row.id, runId })),
    ...(worktree === undefined ? {} : { worktree: worktreeView(worktree) }),
  }
}

const placedMessage = async (
  store: Pick<Store, "sessions" | "runs" | "messages" | "inbox" | "usage" | "worktrees">,
  scope: RunScope,
  { item, append }: { readonly item: AppendItem; readonly append: Append },
): Promise<Message> => {
  switch (item.kind) {
    case "text":
      return { role: "user", source: item.source, text: item.text }
    case "announce": {
      const child = await announcedChild(store, scope, item.childId)
      if (child === undefined)
        return notice(`A sub-agent was reported that this session does not have (${item.childId}).`)
      return { role: "user", source: "announce", text: announceBlock(await announceFacts(store, child, item.runId)) }
    }
    case "result":
      return {
        role: "tool",
        call_id: item.callId,
        name: item.name,
        outcome: item.outcome,
        content: item.content,
        ...(item.executed === false ? { executed: false } : {}),
      }
    case "inbox": {
      const row = await store.inbox.get(scope.sessionId, item.inboxId)
      if (row === undefined && startsRun(item, append))
        throw ApplicationFailure.nonRetryable(`message ${item.inboxId} is not in the store`, "storage_failed")
      if (row === undefined) return notice(`A message was sent here that is not in the store (${item.inboxId}).`)
      return { role: "user", source: item.source, text: row.text }
    }
    default:
      return assertNever(item)
  }
}

const withLines = (message: Message, { lead, note }: Pick<Append, "lead" | "note">): Message =>
  message.role !== "user"
    ? message
    : { ...message, text: [lead, message.text, note].filter((text) => text !== undefined).join("\n\n") }

/** How far before a result the answer is searched that proposed its call. No answer has as many calls. */
const mostCalls = 1_000

/**
 * Returns whether a call has run and has written its own result. After a reset, the workflow may take it for a call that never ran. The claim tells whose
 * result the row is: another call can have had this place and this id.
 */
const hasOwnResult = async (
  { claims, messages, callEdits }: Pick<Store, "claims" | "messages" | "callEdits">,
  { sessionId, runId }: RunScope,
  item: AppendItem,
): Promise<boolean> => {
  if (item.kind !== "result") return false
  const { seq, callId } = item
  const claim = await claims.get(sessionId, seq)
  if (claim?.done !== true || claim.callId !== callId) return false
  const rows = await messages.read(sessionId, { fromSeq: Math.max(1, seq - mostCalls), headSeq: seq })
  const own = rows.at(-1)
  if (own?.seq !== seq || own.runId !== runId || own.message.role !== "tool") return false
  const proposed = findToolCall(rows.findLast(({ message }) => message.role === "assistant")?.message, callId)
  const edited = (await callEdits.get(sessionId, seq))?.arguments
  return [proposed?.arguments, edited].some(
    (args) => args !== undefined && isClaimOf(claim, { callId, hash: callHash({ name: item.name, arguments: args }) }),
  )
}

/** Writes the rows to which the workflow gave places, under the fence of the present activity. The result that a call has written itself stays. */
export const appendRows = async (
  store: Pick<
    Store,
    | "sessions"
    | "runs"
    | "messages"
    | "inbox"
    | "usage"
    | "worktrees"
    | "audit"
    | "transaction"
    | "claims"
    | "callEdits"
  >,
  scope: RunScope,
  append: Append,
): Promise<void> => {
  const reported = await Promise.all(append.items.map((item) => hasOwnResult(store, scope, item)))
  const items = append.items.filter((_, index) => reported[index] === false)
  if (items.length === 0) return
  const fence = activityFence()
  const rows = await Promise.all(
    items.map(async (item) => ({
      seq: item.seq,
      runId: scope.runId,
      step: append.step,
      fence,
      message: withLines(await placedMessage(store, scope, { item, append }), startsRun(item, append) ? append : {}),
    })),
  )
  await store.messages.putAll(scope.sessionId, rows)
  for (const item of items)
    if (item.kind === "result" && item.refused === true)
      await auditRefusal(store, { ...scope, ...item, reason: item.content })
  for (const item of items)
    if (item.kind === "announce" && (await announcedChild(store, scope, item.childId)) !== undefined)
      await noteReported(store, item.childId)
}
