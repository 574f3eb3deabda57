import { createHash } from "node:crypto"
import type { MediaReference } from "../../../contracts/message.ts"
import { inspectMedia, bytesText, mediaText } from "../../../domain/media/inspect-media.ts"
import { mediaLimits } from "../../../domain/media/media-limits.ts"
import { cutText } from "../../../domain/text/bound-for-history.ts"
import { withoutUnseen } from "../../../domain/text/visible.ts"
import type { ToolMedia, ToolResult } from "../../../tools/tool.ts"
import type { StoredMedia, WritableStore } from "../../../store/store.ts"

/** An image or a PDF of a result, to be stored together with its row. */
interface NewMedia {
  readonly content: StoredMedia
  readonly reference: MediaReference
  /** The line about it in the result, and the one that replaces it if the session has no space for it. */
  readonly line: string
  readonly noSpaceLine: string
}

/** A result with a line of text about each image and PDF. */
export interface DescribedResult {
  readonly content: string
  readonly media: readonly NewMedia[]
}

/** Long enough that contents of one session with the same id do not occur, even if someone looks for them. */
const idCharacters = 32

const maxNameCharacters = 200

/** Returns a name as one short line. A server can call its content anything, such as by a `data:` URI that has all of it again. */
const shownName = (name: string): string => {
  const line = withoutUnseen(name.slice(0, 2 * maxNameCharacters))
    .replaceAll(/\s+/g, " ")
    .trim()
  return /^data:/i.test(line) ? "" : cutText(line, maxNameCharacters)
}

const lineOf = (name: string | undefined, text: string): string => {
  const shown = shownName(name ?? "")
  return `[${shown === "" ? "" : `${shown}: `}${text}]`
}

const describeOne = ({ bytes, name, facts: known }: ToolMedia): string | NewMedia => {
  const inspected = known === undefined ? inspectMedia(bytes) : { facts: known }
  if ("problem" in inspected) return lineOf(name, `not shown: ${inspected.problem}`)
  const { facts } = inspected
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  const id = sha256.slice(0, idCharacters)
  const what = mediaText(facts)
  const most = bytesText(mediaLimits.sessionBytes)
  return {
    content: { id, mediaType: facts.media_type, sha256, data: bytes },
    reference: { type: "media", id, sha256, ...facts },
    line: lineOf(name, what),
    noSpaceLine: lineOf(name, `${what}; not shown: a session keeps at most ${most} of images and PDF files`),
  }
}

const tooMany = (count: number): readonly string[] =>
  count <= 0
    ? []
    : [`[${count} more not shown: one result has at most ${mediaLimits.itemsPerResult} images and PDF files]`]

/** Returns a result with a line of text about each image and PDF, and those that can be stored with it. */
export const describeMedia = ({ content, media = [] }: Pick<ToolResult, "content" | "media">): DescribedResult => {
  const described = media.slice(0, mediaLimits.itemsPerResult).map(describeOne)
  const lines = described.map((each) => (typeof each === "string" ? each : each.line))
  return {
    content: [
      ...(content === "" ? [] : [content]),
      ...lines,
      ...tooMany(media.length - mediaLimits.itemsPerResult),
    ].join("\n"),
    media: described.flatMap((each) => (typeof each === "string" ? [] : [each])),
  }
}

/**
 * Stores the images and PDF files of a result, in the transaction that writes its row: bytes that no row refers to would take space of the session. Returns
 * the text and the references of the row.
 */
export const storeMedia = async (
  { media: store }: Pick<WritableStore, "media">,
  sessionId: string,
  { content, media }: DescribedResult,
): Promise<{ readonly content: string; readonly media: readonly MediaReference[] }> => {
  const contents = media.map((each) => each.content)
  const kept = await store.put(sessionId, contents, mediaLimits.sessionBytes)
  const isKept = ({ reference }: NewMedia): boolean => kept.has(reference.id)
  return {
    content: media
      .filter((each) => !isKept(each))
      .reduce((text, { line, noSpaceLine }) => text.replace(line, () => noSpaceLine), content),
    media: media.filter(isKept).map(({ reference }) => reference),
  }
}
