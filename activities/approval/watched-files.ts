import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { WatchedFile } from "../../tools/preview/preview-change.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** Above the calls of one step. */
const maxCalls = 100

type Deps = Pick<AgentDependencies, "store" | "previews">

const isSameFile = (left: WatchedFile, right: WatchedFile): boolean =>
  left.real === right.real && left.sha256 === right.sha256

/** A file that is not as people were shown. */
interface ChangedFile {
  readonly before: WatchedFile
  readonly now: WatchedFile
}

/** Returns the files of a call as they are now; undefined if no call may change one of them. */
const watchAgain = async (
  previews: Deps["previews"],
  snapshot: RunSnapshot,
  { path, others = [] }: WatchedFile,
): Promise<WatchedFile | undefined> => {
  const now = await previews.watch(snapshot, path)
  if (now === undefined || others.length === 0) return now
  const rest = await Promise.all(others.map((other) => previews.watch(snapshot, other.path)))
  return rest.includes(undefined) ? undefined : { ...now, others: rest.flatMap((each) => each ?? []) }
}

/** Returns the first file of a call that is not as it was; undefined if all are. */
const firstChange = (before: WatchedFile, now: WatchedFile): ChangedFile | undefined => {
  if (!isSameFile(before, now)) return { before, now }
  const pairs = (before.others ?? []).flatMap((other, index) => {
    const present = now.others?.[index]
    return present === undefined ? [] : [{ before: other, now: present }]
  })
  return pairs.find((pair) => !isSameFile(pair.before, pair.now))
}

const changeText = ({ before, now }: ChangedFile): string => {
  if (before.real !== now.real) return `${before.path} leads to another file now`
  if (now.sha256 === null) return `${before.path} was deleted by something else after you were asked`
  return `${before.path} was ${before.sha256 === null ? "created" : "changed"} by something else after you were asked`
}

/** Returns how the file of a call differs from what people were shown; undefined if it does not, or if they were shown none. */
export const fileChange = async (
  previews: Deps["previews"],
  snapshot: RunSnapshot,
  shown: WatchedFile | null,
): Promise<string | undefined> => {
  const now = shown === null ? undefined : await watchAgain(previews, snapshot, shown)
  const change = shown === null || now === undefined ? undefined : firstChange(shown, now)
  return change === undefined ? undefined : changeText(change)
}

type Watched = CallPreviewRow & { readonly watched: WatchedFile }

/** Returns the later calls of the batch whose files are as people were shown. */
const unchangedLater = async ({ store, previews }: Deps, input: RunToolInput, snapshot: RunSnapshot) => {
  const { sessionId, resultSeq, assistantSeq } = input
  const rows = await store.callPreviews.read(sessionId, { from: resultSeq + 1, to: assistantSeq + maxCalls })
  const unchanged: Watched[] = []
  for (const row of rows) {
    const now = row.watched === null ? undefined : await watchAgain(previews, snapshot, row.watched)
    if (row.watched !== null && now !== undefined && firstChange(row.watched, now) === undefined)
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
    const now = await watchAgain(deps.previews, snapshot, row.watched)
    if (now !== undefined && firstChange(row.watched, now) !== undefined)
      await deps.store.callPreviews.expect(input.sessionId, row, now)
  }
  return result
}
