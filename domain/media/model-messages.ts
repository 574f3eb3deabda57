import type { MediaReference, Message, ToolMessage } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { mediaLimits } from "./media-limits.ts"
import { tokensOfMedia } from "./media-tokens.ts"
import { mediaKindOf, mediaTypeNames } from "./media-type.ts"
import { acceptedInput } from "./model-input.ts"

type Asked = Pick<ModelSpec, "provider" | "model" | "input">

type Reason = "images" | "PDF files" | "refused" | "left out" | "too large"

export const hasMedia = (message: Message): message is ToolMessage & { readonly media: MediaReference[] } =>
  message.role === "tool" && message.media !== undefined && message.media.length > 0

const subjectOf = (references: readonly MediaReference[]): string => {
  const [first] = references
  return first !== undefined && references.length === 1
    ? `The ${mediaTypeNames[first.media_type]} is`
    : `${references.length} images and files are`
}

const howToReadAgain = (name: string): string =>
  name === "Read"
    ? "Call Read with the same arguments to see it again."
    : "If this text names a file with it, call Read with that file to see it again."

/** Says why a model never got something, without an invitation to repeat the call, which would end in the same way. */
const tooLarge = (references: readonly MediaReference[]): string => {
  const tokens = references.reduce((sum, reference) => sum + tokensOfMedia(reference, "anthropic"), 0)
  const hasPdf = references.some(({ media_type }) => mediaKindOf(media_type) === "pdf")
  const instead = hasPdf ? "Extract the pages that you need" : "Make smaller copies, or look at fewer at a time"
  return `${references.length === 1 ? "it has" : "they have"} about ${tokens} tokens, which is more than fits. ${instead}.`
}

const missingMediaNote = (reason: Reason, references: readonly MediaReference[], name: string): string => {
  const subject = subjectOf(references)
  switch (reason) {
    case "images":
    case "PDF files":
      return `[${subject} not shown: the model in use does not accept ${reason}.]`
    case "refused":
      return `[${subject} not shown: the model's provider did not accept it.]`
    case "too large":
      return `[${subject} not shown: ${tooLarge(references)}]`
    case "left out":
      return `[${subject} not shown any more, to save context. ${howToReadAgain(name)}]`
  }
}

const reasons: readonly Reason[] = ["images", "PDF files", "refused", "left out", "too large"]

/** Returns a result without the references for which there is a reason, and with a note about each reason. */
const withoutSome = (
  message: ToolMessage,
  reasonOf: (reference: MediaReference, index: number) => Reason | undefined,
): ToolMessage => {
  const { media = [], ...rest } = message
  const found = media.map((reference, index) => ({ reference, reason: reasonOf(reference, index) }))
  const notes = reasons.flatMap((reason) => {
    const references = found.flatMap((each) => (each.reason === reason ? [each.reference] : []))
    return references.length === 0 ? [] : [missingMediaNote(reason, references, message.name)]
  })
  if (notes.length === 0) return message
  const kept = found.flatMap(({ reference, reason }) => (reason === undefined ? [reference] : []))
  return {
    ...rest,
    content: [message.content, ...notes].join("\n"),
    ...(kept.length === 0 ? {} : { media: kept }),
  }
}

/** Returns a result without images and PDF files, which a compaction left out; before a model got them, if they were not shown. */
export const withoutMedia = (message: ToolMessage, wasShown: boolean): ToolMessage =>
  withoutSome(message, () => (wasShown ? "left out" : "too large"))

/** A cassette compares with the recorded messages, so that it gets them unchanged. */
const getsUnchanged = ({ provider }: Asked): boolean => provider === "cassette"

/** Returns a message with what a model takes of it, and a text about the rest. `isUsable` says whether the provider has not refused an image or a PDF. */
export const messageFor = (message: Message, asked: Asked, isUsable: (id: string) => boolean): Message => {
  if (!hasMedia(message) || getsUnchanged(asked)) return message
  const kinds = acceptedInput(asked)
  return withoutSome(message, ({ id, media_type }) => {
    const kind = mediaKindOf(media_type)
    if (!kinds.includes(kind)) return kind === "image" ? "images" : "PDF files"
    return isUsable(id) ? undefined : "refused"
  })
}

interface Totals {
  readonly items: number
  readonly bytes: number
  readonly pages: number
}

const totalsOf = (references: readonly MediaReference[]): Totals => ({
  items: references.length,
  bytes: references.reduce((sum, { bytes }) => sum + bytes, 0),
  pages: references.reduce((sum, { pages = 0 }) => sum + pages, 0),
})

const isWithin = (references: readonly MediaReference[], share: number): boolean => {
  const { items, bytes, pages } = totalsOf(references)
  const most = mediaLimits.request
  return items <= most.items * share && bytes <= most.bytes * share && pages <= most.pages * share
}

/**
 * Returns how many of the oldest images and PDF files a request leaves out. Once they are too many, as many are left out as half of the space needs, so
 * that the beginning of the prompt changes seldom; which ones depends on those before alone.
 */
const leftOutCount = (references: readonly MediaReference[]): number => {
  let first = 0
  for (let end = 1; end <= references.length; end += 1) {
    if (isWithin(references.slice(first, end), 1)) continue
    while (first < end - 1 && !isWithin(references.slice(first, end), 0.5)) first += 1
  }
  return first
}

type Usable = (id: string) => boolean

/** References by the id of a call. */
type ReferencesOf = ReadonlyMap<string, readonly MediaReference[]>

/** Returns those of the results that a model would take if its provider had not refused them. */
const refusedIn = (messages: readonly Message[], asked: Asked, isUsable: Usable): ReferencesOf => {
  const kinds = acceptedInput(asked)
  const refused = (reference: MediaReference): boolean =>
    kinds.includes(mediaKindOf(reference.media_type)) && !isUsable(reference.id)
  return new Map(
    messages.flatMap((message) => (hasMedia(message) ? [[message.call_id, message.media.filter(refused)]] : [])),
  )
}

/**
 * Returns messages with at most as many images and PDF files as a request can have: instead of the oldest ones, a text says how to see them again. Refused
 * ones count where they were: otherwise, a refusal would bring back older ones that were left out for them.
 */
const boundMedia = (messages: readonly Message[], refused: ReferencesOf): readonly Message[] => {
  const countedIn = (message: Message): readonly MediaReference[] =>
    message.role === "tool" ? [...(refused.get(message.call_id) ?? []), ...(message.media ?? [])] : []
  let left = leftOutCount(messages.flatMap(countedIn))
  return messages.map((message) => {
    const counted = countedIn(message).length
    const here = Math.min(left, counted)
    left -= here
    if (!hasMedia(message)) return message
    const first = counted - message.media.length
    return withoutSome(message, (_, index) => (first + index < here ? "left out" : undefined))
  })
}

/** Returns the messages of a request as a model gets them. `stored`: the results as they are in the transcript, where refused media are still known. */
export const messagesFor = (
  messages: readonly Message[],
  asked: Asked,
  { isUsable, stored = messages }: { readonly isUsable: Usable; readonly stored?: readonly Message[] },
): readonly Message[] =>
  getsUnchanged(asked)
    ? messages
    : boundMedia(
        messages.map((message) => messageFor(message, asked, isUsable)),
        refusedIn(stored, asked, isUsable),
      )
