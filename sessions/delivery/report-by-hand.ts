import { isSilentReply } from "../../domain/delegation/silent-reply.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionSignal } from "../../engine/send-update.ts"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"
import type { Announcer } from "./announcer.ts"
import { keepUndelivered } from "./undelivered.ts"

/** Returns whether a person or a program created the session below its parent. In Temporal, it is then nobody's child. */
export const isByHand = ({ internal }: Pick<SessionRow, "internal">): boolean => internal["by_hand"] === true

interface ThreadDependencies {
  readonly store: Pick<Store, "sessions" | "runs" | "events" | "transaction">
  readonly announcer: Pick<Announcer, "childFinished">
}

interface ReportDependencies extends ThreadDependencies {
  /** Sends a signal; resolves to false if the session's execution is closed. */
  readonly signal: (signal: SessionSignal) => Promise<boolean>
}

type EndedChild = Record<"child" | "parent", SessionRow> & { readonly run: RunRow }

const readEnd = async (
  store: Pick<Store, "sessions" | "runs">,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<EndedChild | undefined> => {
  const child = await store.sessions.get(sessionId)
  const run = await store.runs.get(runId)
  const parent = child?.parentId == null ? undefined : await store.sessions.get(child.parentId)
  return child === undefined || run === undefined || parent === undefined ? undefined : { child, parent, run }
}

/** Shows the end in the parent's events. Returns whether the parent has still to be told; its next run then reads the result. */
const keepEnd = async (store: ThreadDependencies["store"], { child, parent, run }: EndedChild): Promise<boolean> => {
  const { runId, stopReason } = run
  if (parent.runId !== null)
    await store.events.append(parent.id, [
      {
        type: "child-finished",
        runId: parent.runId,
        data: { child_session_id: child.id, child_run_id: runId, stop_reason: stopReason },
      },
    ])
  if (run.status === "cancelled" || isSilentReply(run.finalMessage ?? "")) return false
  await keepUndelivered(store, parent.id, [{ childId: child.id, runId }])
  return true
}

/** Reports the end of a sub-agent whose parent has no open run in its thread. Returns what the caller must deliver. */
export const reportToThread = async (
  { store, announcer }: ThreadDependencies,
  ended: { readonly sessionId: string; readonly runId: string },
): Promise<readonly DeliveryInput[]> => {
  const end = await readEnd(store, ended)
  if (end === undefined || !(await keepEnd(store, end))) return []
  return await announcer.childFinished({ child: end.child, parent: end.parent, runId: ended.runId })
}

/**
 * Reports the end of a run of a session that was created by hand to its parent, as for a session that the parent spawned. An open run of
 * the parent reads the report as a message. If none is open, the next run reads it, and the parent's thread gets it now. Returns what the caller
 * must deliver. A repetition has no effect, except that an open run may read the message twice.
 */
export const reportByHand = async (
  { store, announcer, signal }: ReportDependencies,
  ended: { readonly sessionId: string; readonly runId: string },
): Promise<readonly DeliveryInput[]> => {
  const end = await readEnd(store, ended)
  if (end === undefined || !isByHand(end.child) || !(await keepEnd(store, end))) return []
  const { child, parent } = end
  const { runId } = ended
  if (parent.runId === null || isFinal(parent.status)) return await announcer.childFinished({ child, parent, runId })
  await signal({ sessionId: parent.id, name: "child", payload: { id: child.id, status: "ended", run_id: runId } })
  return []
}

/** Shows in the parent's events that a run of a session that was created by hand begins. */
export const noteStartByHand = async (
  store: Pick<Store, "sessions" | "events">,
  child: SessionRow,
  runId: string,
): Promise<void> => {
  const parent = isByHand(child) && child.parentId !== null ? await store.sessions.get(child.parentId) : undefined
  if (parent?.runId == null) return
  await store.events.append(parent.id, [
    {
      type: "child-started",
      runId: parent.runId,
      data: { child_session_id: child.id, child_run_id: runId, agent: child.agent, label: child.label },
    },
  ])
}
