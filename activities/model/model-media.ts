import type { MediaReference, Message } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { hasMedia, messageFor, messagesFor } from "../../domain/media/model-messages.ts"
import { type PromptRow, type PromptView, promptView } from "../../domain/compaction/prompt-view.ts"
import type { Store } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput, CompactInput } from "../contract/agent-activities.ts"
import { inSlot } from "../slots/in-slot.ts"

/** The session whose messages are shown to a model. */
interface MediaOf {
  readonly store: Pick<Store, "media">
  readonly sessionId: string
  readonly spec: ModelSpec
  /** Left out of this request, because the provider refused one with them. */
  readonly withoutMedia?: ReadonlySet<string>
}

/** Returns a function that says of an id whether it can be sent; reads nothing if there is no image or PDF. */
const usableIn = async (
  { store, sessionId, spec, withoutMedia }: MediaOf,
  messages: readonly Message[],
): Promise<(id: string) => boolean> => {
  if (!messages.some(hasMedia)) return () => false
  const usable = await store.media.usable(sessionId, spec)
  return (id) => usable.has(id) && withoutMedia?.has(id) !== true
}

/** A transcript as a model takes it. */
export interface TakenRows {
  readonly rows: readonly PromptRow[]
  /** Returns messages of these rows as a request has them: with at most as many images and PDF files as it can have. */
  readonly shown: (messages: readonly Message[]) => readonly Message[]
}

/** Returns the rows of a transcript with references to the images and PDF files that the model takes, and texts about the others. */
export const takenRows = async (of: MediaOf, rows: readonly PromptRow[]): Promise<TakenRows> => {
  const stored = rows.map(({ message }) => message)
  const isUsable = await usableIn(of, stored)
  return {
    rows: rows.map((row) => ({ ...row, message: messageFor(row.message, of.spec, isUsable) })),
    shown: (messages) => messagesFor(messages, of.spec, { isUsable, stored }),
  }
}

/** Returns what a model gets of a transcript. What it does not take is a text before it can become a reference with an invitation to see it again. */
export const modelView = async (of: MediaOf, stored: readonly PromptRow[]): Promise<PromptView> => {
  const { rows, shown } = await takenRows(of, stored)
  const view = promptView(rows)
  return { ...view, messages: shown(view.messages) }
}

const isSent = ({ provider }: ModelSpec): boolean => provider !== "scripted" && provider !== "cassette"

const referencesIn = (messages: readonly Message[]): readonly MediaReference[] => [
  ...new Map(
    messages.filter(hasMedia).flatMap(({ media }) => media.map((reference) => [reference.id, reference])),
  ).values(),
]

const idsIn = (messages: readonly Message[]): readonly string[] => referencesIn(messages).map(({ id }) => id)

/** Runs what loads and sends the images and PDF files of a request, when it would not have too many in memory together with the others of this process. */
export const whileLoaded = <T>(
  deps: Pick<AgentDependencies, "store" | "slots">,
  input: CallModelInput | CompactInput,
  request: { readonly spec: ModelSpec; readonly messages: readonly Message[]; readonly work: () => Promise<T> },
): Promise<T> => {
  const { spec, messages, work } = request
  const bytes = isSent(spec) ? referencesIn(messages).reduce((sum, reference) => sum + reference.bytes, 0) : 0
  return bytes === 0 ? work() : inSlot(deps, input, { slots: deps.slots.media, amount: bytes, work })
}

/** Returns the images and PDF files of a request in base64, by id. Offline models need none. */
export const mediaData = async (
  { store, sessionId, spec }: MediaOf,
  messages: readonly Message[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = isSent(spec) ? idsIn(messages) : []
  const found = ids.length === 0 ? [] : await store.media.read(sessionId, ids)
  return new Map(found.map(({ id, data }) => [id, Buffer.from(data).toString("base64")]))
}

/**
 * Returns the images and PDF files for which a provider can have refused a request: those after the model's last answer, or else all, since the model may
 * have got none before that answer.
 */
export const suspectMedia = ({ provider, model }: ModelSpec, messages: readonly Message[]): readonly string[] => {
  const answered = messages.findLastIndex(
    (message) => message.role === "assistant" && message.provider === provider && message.model === model,
  )
  const added = idsIn(messages.slice(answered + 1))
  return added.length > 0 ? added : idsIn(messages)
}

/** Records, once the model answered without them, which images and PDF files its provider refused: it would refuse them at every later call, too. */
export const refuseMedia = async (
  { store, logger }: AgentDependencies,
  { sessionId }: CallModelInput,
  { spec, withoutMedia }: { readonly spec: ModelSpec; readonly withoutMedia: ReadonlySet<string> },
): Promise<void> => {
  if (withoutMedia.size === 0) return
  const media = [...withoutMedia]
  await store.media.refuse(sessionId, spec, media)
  logger.warn({ session_id: sessionId, media }, `model ${spec.model} answered without images and PDF files only`)
}
