import { z } from "zod"
import { hourMs } from "../../domain/text/duration.ts"
import { changeInternal } from "../rows/change-internal.ts"
import type { BindingRow, SessionRow, Store } from "../../store/store.ts"

/** The most runs per hour that messages of one binding start. Without a limit, two programs could answer each other endlessly. */
export const runsPerHour = 60

const field = "thread"
const threadSchema = z.object({
  /** When messages of the binding began runs, in milliseconds since 1970, at most as many as an hour may have. */
  begun: z.array(z.number()),
  /** Ids of the texts above the limit, which the next run reads. */
  held: z.array(z.string()),
})
type ThreadState = z.infer<typeof threadSchema>

const threadState = ({ internal }: Pick<SessionRow, "internal">): ThreadState =>
  threadSchema.safeParse(internal[field]).data ?? { begun: [], held: [] }

/** Whether a message starts a run now, or is held until `untilMs`. `isFirst`: no other message is held. */
export type Admission =
  | { readonly kind: "begins" }
  | { readonly kind: "held"; readonly untilMs: number; readonly isFirst: boolean }

/** Decides whether a message of a thread starts a run, and counts the run. The next run reads a message that is held. */
export const admitMessage = async (
  store: Pick<Store, "transaction">,
  binding: Pick<BindingRow, "sessionId" | "boundAt">,
  message: { readonly id: string; readonly nowMs: number },
): Promise<Admission> => {
  const { id, nowMs } = message
  const since = Math.max(nowMs - hourMs, Date.parse(binding.boundAt) - 1)
  let admission: Admission = { kind: "begins" }
  await changeInternal(store, binding.sessionId, (row) => {
    const { begun, held } = threadState(row)
    const recent = begun.filter((at) => at > since)
    const [oldest = nowMs] = recent
    const isHeld = recent.length >= runsPerHour
    admission = isHeld ? { kind: "held", untilMs: oldest + hourMs, isFirst: held.length === 0 } : { kind: "begins" }
    const after: ThreadState = isHeld
      ? { begun: recent, held: [...held.filter((each) => each !== id), id] }
      : { begun: [...recent, nowMs], held }
    return { ...row.internal, [field]: after }
  })
  return admission
}

/** Returns the text of a message that starts a run, after all held texts, oldest first. `brought`: the ids of the held texts. */
export const bringHeld = async (
  store: Pick<Store, "inbox">,
  row: Pick<SessionRow, "id" | "internal">,
  text: string,
): Promise<{ readonly text: string; readonly brought: readonly string[] }> => {
  const { held } = threadState(row)
  const rows = await Promise.all(held.map((id) => store.inbox.get(row.id, id)))
  return {
    text: [...rows.flatMap((found) => (found === undefined ? [] : [found.text])), text].join("\n\n"),
    brought: held,
  }
}

/** Forgets held texts that a run has received. */
export const dropHeld = async (
  store: Pick<Store, "transaction">,
  sessionId: string,
  brought: readonly string[],
): Promise<void> => {
  if (brought.length === 0) return
  await changeInternal(store, sessionId, (row) => {
    const { begun, held } = threadState(row)
    return { ...row.internal, [field]: { begun, held: held.filter((id) => !brought.includes(id)) } }
  })
}
