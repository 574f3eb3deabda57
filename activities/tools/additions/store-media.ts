import { createHash } from "node:crypto"
import type { MediaReference } from "../../../contracts/message.ts"
import { inspectMedia, bytesText, mediaText } from "../../../domain/media/inspect-media.ts"
import { mediaLimits } from "../../../domain/media/media-limits.ts"
import { cutText } from "../../../domain/text/bound-for-history.ts"
import { withoutUnseen } from "../../../domain/text/visible.ts"
import type { ToolMedia, ToolResult } from "../../../tools/tool.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"

/** A result as its row contains it. */
export interface StoredResult {
  /** With a line about each image and PDF. */
  readonly content: string
  readonly media: readonly MediaReference[]
}

interface Stored {
  readonly line: string
  readonly reference?: MediaReference
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

const storeOne = async (
  { store }: Pick<AgentDependencies, "store">,
  sessionId: string,
  { bytes, name, facts: known }: ToolMedia,
): Promise<Stored> => {
  const inspected = known === undefined ? inspectMedia(bytes) : { facts: known }
  if ("problem" in inspected) return { line: lineOf(name, `not shown: ${inspected.problem}`) }
  const { facts } = inspected
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  const id = sha256.slice(0, idCharacters)
  const content = { id, mediaType: facts.media_type, sha256, data: bytes }
  const most = mediaLimits.sessionBytes
  if (!(await store.media.put(sessionId, content, most)))
    return {
      line: lineOf(
        name,
        `${mediaText(facts)}; not shown: a session keeps at most ${bytesText(most)} of images and PDF files`,
      ),
    }
  return { line: lineOf(name, mediaText(facts)), reference: { type: "media", id, sha256, ...facts } }
}

const tooMany = (count: number): readonly Stored[] =>
  count <= 0
    ? []
    : [{ line: `[${count} more not shown: one result has at most ${mediaLimits.itemsPerResult} images and PDF files]` }]

/** Stores the images and PDF files of a result. Its row refers to them, with a line of text about each. */
export const storeMedia = async (
  deps: Pick<AgentDependencies, "store">,
  sessionId: string,
  { content, media = [] }: Pick<ToolResult, "content" | "media">,
): Promise<StoredResult> => {
  const stored: Stored[] = []
  for (const each of media.slice(0, mediaLimits.itemsPerResult)) stored.push(await storeOne(deps, sessionId, each))
  stored.push(...tooMany(media.length - mediaLimits.itemsPerResult))
  return {
    content: [...(content === "" ? [] : [content]), ...stored.map(({ line }) => line)].join("\n"),
    media: stored.flatMap(({ reference }) => (reference === undefined ? [] : [reference])),
  }
}
