import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Confinement } from "../../domain/approval/process-sandbox.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { WatchedFile } from "../../tools/preview/preview-change.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** Above the calls of one step. */
const maxCalls = 100

type Deps = Pick<AgentDependencies, "store" | "previews">

const isSame = (left: WatchedFile, right: WatchedFile): boolean =>
  left.real === right.real && left.sha256 === right.sha256

const changeText = (before: WatchedFile, now: WatchedFile): string => {
  if (before.real !== now.real) return `${before.path} leads to another file now`
  if (now.sha256 === null) return `${before.path} was deleted by something else after you were asked`
  return `${before.path} was ${before.sha256 === null ? "created" : "changed"} by something else after you were asked`
}

/** Returns how the sandbox of a call is less now than people were shown. */
const lostConfinement = async (
  { confined, opens }: CallPreviewRow["preview"],
  confinement: () => Promise<Confinement>,
): Promise<string | undefined> => {
  if (confined !== true) return undefined
  const now = await confinement()
  if (!now.confined) return "it would have run in a sandbox, and there is none now"
  if (now.opens === undefined || now.opens === opens || opens === "network") return undefined
  return now.opens === "hosts"
    ? "its sandbox no longer reaches the hosts that it asks for"
    : "its sandbox could have been limited to the hosts that it asks for, and would open the whole network now"
}

/** Returns what has changed since people were shown the call; undefined if nothing has, or if they were shown only its arguments. */
export const changeSincePreview = async (
  { store, previews }: Deps,
  input: Pick<RunToolInput, "sessionId" | "resultSeq" | "callId" | "isPreviewed" | "answer">,
  { snapshot, confinement }: { readonly snapshot: RunSnapshot; readonly confinement: () => Promise<Confinement> },
): Promise<string | undefined> => {
  if (input.isPreviewed !== true || input.answer !== undefined) return undefined
  const { sessionId, resultSeq: seq, callId } = input
  const [row] = await store.callPreviews.read(sessionId, { from: seq, to: seq })
  if (row === undefined || row.callId !== callId) return "what you were shown of it is no longer stored"
  const lost = await lostConfinement(row.preview, confinement)
  if (lost !== undefined) return lost
  const now = row.watched === null ? undefined : await previews.watch(snapshot, row.watched.path)
  return row.watched === null || now === undefined || isSame(row.watched, now)
    ? undefined
    : changeText(row.watched, now)
}

type Watched = CallPreviewRow & { readonly watched: WatchedFile }

/** Returns the later calls of the batch whose files are as people were shown. */
const unchangedLater = async ({ store, previews }: Deps, input: RunToolInput, snapshot: RunSnapshot) => {
  const { sessionId, resultSeq, assistantSeq } = input
  const rows = await store.callPreviews.read(sessionId, { from: resultSeq + 1, to: assistantSeq + maxCalls })
  const unchanged: Watched[] = []
  for (const row of rows) {
    const now = row.watched === null ? undefined : await previews.watch(snapshot, row.watched.path)
    if (row.watched !== null && now !== undefined && isSame(row.watched, now))
      unchanged.push({ ...row, watched: row.watched })
  }
  return unchanged
}

/** Runs a call, and takes what it changes in the files of later calls of its batch for expected. */
export const expectingChanges = async <Result>(
  deps: Deps,
  input: RunToolInput,
  { snapshot, readOnly }: { readonly snapshot: RunSnapshot; readonly readOnly: boolean },
  run: () => Promise<Result>,
): Promise<Result> => {
  if (input.isPreviewed !== true || readOnly) return await run()
  const later = await unchangedLater(deps, input, snapshot)
  const result = await run()
  for (const row of later) {
    const now = await deps.previews.watch(snapshot, row.watched.path)
    if (now !== undefined && !isSame(row.watched, now)) await deps.store.callPreviews.expect(input.sessionId, row, now)
  }
  return result
}
