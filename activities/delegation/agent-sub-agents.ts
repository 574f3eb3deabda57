import type { Listed } from "../../domain/delegation/answers/list-answers.ts"
import { DelegationRefusal, notRunning } from "../../domain/delegation/delegation-refusal.ts"
import { allowedAgents } from "../../domain/delegation/spawn-refusals.ts"
import { noTemporalUrl } from "../../domain/engine/temporal-url.ts"
import { findProfile, profileNames } from "../../domain/profiles/builtin-profiles.ts"
import { describeAgent } from "../../domain/profiles/describe-agents.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { historyRow } from "../../domain/transcript/history-row.ts"
import {
  replyLater,
  type ListOptions,
  mostOwn,
  type MessageTo,
  type NameUse,
  replyNow,
  type Reply,
  type SubAgents,
} from "../../sessions/delegation-tools/sub-agents.ts"
import { openRunsBelow } from "../../sessions/control/cancel.ts"
import { sessionDetail } from "../../sessions/view/session-detail.ts"
import { sessionView } from "../../sessions/view/session-view.ts"
import { taskFactsOf, taskRowOf } from "../../sessions/view/task-report.ts"
import type { SentMessage } from "../../domain/delegation/answers/sent-answer.ts"
import type { SessionRow } from "../../store/store.ts"
import { cancelChild, decideForChild, messageChild, restartChild, wasSent } from "./control-child.ts"
import {
  agentSurface,
  type DelegationCall,
  type DelegationLater,
  descendantRows,
  findChild,
  findDescendant,
} from "./delegation-call.ts"
import { spawnForAgent } from "./spawn/spawn-for-agent.ts"

const rowOf = async ({ deps }: DelegationCall, id: string): Promise<SessionRow> => {
  const row = await deps.store.sessions.get(id)
  if (row === undefined) throw new DelegationRefusal("TASK_NOT_FOUND", `there is no sub-agent ${id} any more`)
  return row
}

const childRows = async ({ deps, input }: DelegationCall): Promise<readonly SessionRow[]> => {
  const rows = await Promise.all(input.children.map(({ id }) => deps.store.sessions.get(id)))
  return rows.filter((row) => row !== undefined)
}

/** Shows a row in a list. Only the caller's own sub-agents have a number by which it can name them. */
const listed =
  ({ deps: { store }, session }: DelegationCall) =>
  async (row: SessionRow): Promise<Listed> => ({
    session: await sessionView({ store, temporalUrl: noTemporalUrl }, row),
    row: { ...(await taskRowOf(store, row)), number: row.parentId === session.id ? row.number : null },
  })

const find = async (delegation: DelegationCall, name: string, { for: use }: NameUse): Promise<string | undefined> => {
  const { id, sessionKey } = delegation.session
  if (use === "listing" && (name === id || name === sessionKey)) return id
  const isRead = use === "listing" || use === "reading"
  return (await (isRead ? findDescendant : findChild)(delegation, name))?.id
}

const list = async (delegation: DelegationCall, { status, parentId, archived = false, limit }: ListOptions) => {
  const wanted = (await descendantRows(delegation)).filter(
    (row) =>
      (status === undefined || row.status === status) &&
      (parentId === undefined || row.parentId === parentId) &&
      (row.archivedAt !== null) === archived,
  )
  const sessions = await Promise.all(wanted.slice(-limit).toReversed().map(listed(delegation)))
  return { sessions, isCut: wanted.length > limit, cursor: null }
}

const profilesFor = ({ snapshot }: DelegationCall) => {
  const { agents, agent, subagents } = snapshot
  return allowedAgents(subagents.allowAgents, agent, profileNames(agents)).map((id) => {
    const profile = findProfile(id, agents)
    return { id, type: profile?.type ?? "llm", description: profile?.description ?? null }
  })
}

const sentTo = ({ runId }: SessionRow, type: MessageTo["type"], answers: boolean): SentMessage => {
  const told = answers ? "answered" : "queued"
  return { runId: runId ?? "", effect: type === "steering" ? "steered" : told, state: "accepted" }
}

/** Sends a text to a child: to its run, which may be waiting for it, or as the start of its next run. */
const send = async (
  delegation: DelegationCall,
  { id, text, type }: MessageTo,
): Promise<Reply<SentMessage, DelegationLater>> => {
  const { deps, snapshot, session } = delegation
  const row = await rowOf(delegation, id)
  if (isFinal(row.status) && (await wasSent(delegation, row))) return replyNow(sentTo(row, type, false))
  if (isFinal(row.status) && type === "steering") throw notRunning(id, agentSurface(snapshot, session.depth))
  if (isFinal(row.status)) return replyLater(await restartChild(delegation, row, text))
  const pause = await deps.store.pauses.current(id)
  await messageChild(delegation, row, { text, type })
  return replyNow(sentTo(row, type, pause?.type === "input_required"))
}

/** Returns whether a session can be stopped. One whose run has ended can be, too, while it stays open for a thread. */
const isStoppable = async ({ deps }: DelegationCall, row: SessionRow): Promise<boolean> =>
  !isFinal(row.status) || (await deps.store.bindings.list()).some(({ sessionId }) => sessionId === row.id)

const cancel = async (delegation: DelegationCall, id: string) => {
  const row = await rowOf(delegation, id)
  const isOpen = await isStoppable(delegation, row)
  const below = await openRunsBelow(delegation.deps.store, row)
  if (isOpen || below.length > 0) await cancelChild(delegation, row, below)
  return { id, status: row.status, hadEnded: !isOpen }
}

/** How an agent manages its children. Its own workflow starts their workflows and waits for them, so some replies come later. */
const managing = (delegation: DelegationCall) => {
  const { deps, input } = delegation
  const open = async () => input.children.filter(({ status }) => status !== "ended").map(({ id }) => id)
  return {
    open,
    stoppable: async () => {
      const rows = await childRows(delegation)
      const isOpen = await Promise.all(rows.map((row) => isStoppable(delegation, row)))
      return rows.filter((_row, index) => isOpen[index]).map(({ id }) => id)
    },
    cancel: (id) => cancel(delegation, id),
    send: (message) => send(delegation, message),
    wait: async ({ ids, timeoutSeconds }) =>
      replyLater({
        kind: "wait",
        childIds: ids,
        timeoutMs: timeoutSeconds === undefined ? null : timeoutSeconds * 1_000,
      }),
    // A call that leaves its sandbox is not listed here: the agent's own policy decides whether it may approve one.
    needsPerson: ({ protected: isProtected, approval_by: rule }) => isProtected === true || rule !== undefined,
    decide: async ({ id, checkpointId, approved, rejected, left }) => {
      const row = await rowOf(delegation, id)
      const pause = await deps.store.pauses.current(id)
      if (pause?.checkpointId !== checkpointId)
        throw new DelegationRefusal("RESUME_TASK_ERROR", `task ${id} has no open pause`)
      await decideForChild(delegation, row, { pause, approved, rejected, left })
      return { runId: pause.runId }
    },
    spawn: (call) => spawnForAgent(delegation, call),
    result: () => Promise.reject(new Error("the workflow waits for the sub-agent of a Task call")),
  } satisfies Partial<SubAgents<DelegationLater>>
}

/** Returns the sub-agents of an agent, for one call in its run. */
export const agentSubAgents = (delegation: DelegationCall): SubAgents<DelegationLater> => {
  const { deps, snapshot, session } = delegation
  const { store } = deps
  return {
    ...managing(delegation),
    surface: agentSurface(snapshot, session.depth),
    cwd: snapshot.cwd,
    find: (name, use) => find(delegation, name, use),
    facts: async (id) => taskFactsOf(store, await rowOf(delegation, id)),
    detail: async (id) => sessionDetail({ store, temporalUrl: noTemporalUrl }, await rowOf(delegation, id)),
    history: async (id) => {
      const { headSeq } = await rowOf(delegation, id)
      return (await store.messages.read(id, { headSeq })).map(historyRow)
    },
    tasks: async (most) => {
      const rows = (await childRows(delegation)).slice(-most).toReversed()
      return Promise.all(rows.map((row) => taskRowOf(store, row)))
    },
    list: (options) => list(delegation, options),
    own: async () => {
      const rows = (await descendantRows(delegation)).filter(({ parentId }) => parentId === session.id)
      const sessions = await Promise.all(rows.slice(-mostOwn).map(listed(delegation)))
      return { sessions, isCut: rows.length > mostOwn }
    },
    profiles: async () => profilesFor(delegation),
    profile: async (id) => redactTexts(describeAgent(id, snapshot.agents, [])?.profile, deps.redact),
  }
}
