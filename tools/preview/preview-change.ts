import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { visible } from "../../domain/text/visible.ts"
import { type ConfinedPath, confinePath, type PathContext } from "../files/confined-path.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { ToolContext } from "../tool.ts"
import { failureText } from "../tool-failure.ts"
import { type FileState, maxComparedBytes, readFileState } from "./file-state.ts"
import { lineEndChange, unifiedDiff } from "./unified-diff.ts"

/** The content of a file when its preview was made, to notice later that it changed. */
export interface WatchedFile {
  readonly path: string
  /** Absolute and real. */
  readonly real: string
  readonly sha256: string | null
}

/** A call that changes one file, before it runs. */
export interface FileCall {
  readonly path: string
  /** Whether the call replaces the whole file. */
  readonly isWhole: boolean
  /** Returns the file's text after the call. @throws ToolFailure if the call would fail */
  readonly change: (before: string | undefined) => string
}

/** What the files of earlier calls in the batch contain when those have run, by real path. */
export type ChangedTexts = Map<string, { readonly callId: string; readonly text: string }>

export interface ChangePreview {
  readonly preview: Pick<CallPreview, "diff" | "file" | "flags"> & { readonly details: readonly string[] }
  readonly watched: WatchedFile | null
}

export type ChangePlace = Omit<PathContext, "spillDir" | "mayChangeProtected">

const confine = (path: string, place: ChangePlace): Promise<ConfinedPath> =>
  confinePath(path, { ...place, spillDir: place.cwd, mayChangeProtected: true }, "write")

/** Returns the content of a file now; undefined if no call may change it. */
export const watchFile = async (path: string, place: ChangePlace): Promise<WatchedFile | undefined> => {
  try {
    const confined = await confine(path, place)
    return { path, real: confined.real, sha256: (await readFileState(confined))?.sha256 ?? null }
  } catch {
    return undefined
  }
}

const failure = (error: unknown): Pick<ChangePreview["preview"], "flags" | "details"> => ({
  flags: [`would fail: ${visible(failureText(error) ?? errorMessage(error))}`],
  details: ["would fail"],
})

const isTooLarge = (state: FileState | undefined, call: FileCall): string | undefined => {
  if (state !== undefined && state.text === undefined)
    return state.size > maxComparedBytes
      ? `has ${state.size} bytes`
      : "is not UTF-8 text: the call would fail, since its content would be lost"
  return call.isWhole && Buffer.byteLength(call.change(undefined)) > maxComparedBytes ? "is too large" : undefined
}

interface Compared {
  readonly shown: string
  readonly before: string | undefined
  readonly after: string
  readonly redact: Redact
}

/** Secrets are removed before the texts are compared, so that none can be cut in two. */
const compare = async ({ shown, before, after, redact }: Compared) => {
  const [left, right] = [before === undefined ? undefined : redact(before), redact(after)]
  const hasSecret = left !== before || right !== after
  const diff = await unifiedDiff(shown, left, right)
  const lineEnds = before === undefined ? undefined : lineEndChange(before, after)
  // A line end is no character that a screen hides.
  const written = right.replaceAll("\r\n", "\n")
  return {
    diff: diff === undefined ? undefined : visible(diff.text),
    details: diff === undefined ? [] : [`+${diff.added} −${diff.removed}`],
    flags: [
      ...(diff === undefined
        ? ["the file is too different for a diff: the complete new text is in the arguments"]
        : []),
      ...(lineEnds === undefined ? [] : [lineEnds]),
      ...(hasSecret ? ["secrets are redacted in this preview; the call contains them"] : []),
      ...(before !== undefined && before === after ? ["the file would not change"] : []),
      ...(visible(written) === written
        ? []
        : ["the new text contains characters that a screen hides; they are written out"]),
    ],
  }
}

/** Returns what an approver should know of a call that replaces a content which the agent does not know. */
const unseenFlags = async (
  { isWhole }: FileCall,
  { confined, state }: { readonly confined: ConfinedPath; readonly state: FileState | undefined },
  { seenContent, texts }: PreviewPlace,
): Promise<readonly string[]> => {
  if (!isWhole || seenContent === undefined || state === undefined || state.size === 0) return []
  if (texts.has(confined.real)) return []
  const seen = await seenContent(confined.shown)
  if (seen === state.sha256) return []
  return [seen === undefined ? "the agent has not read this file" : "the agent has not read this version of the file"]
}

const previewConfined = async (
  call: FileCall,
  { confined, ...place }: PreviewPlace & { readonly confined: ConfinedPath },
): Promise<ChangePreview> => {
  const { redact, texts, callId } = place
  const state = await readFileState(confined)
  const unseen = await unseenFlags(call, { confined, state }, place)
  const action = state === undefined ? "create" : call.isWhole ? "overwrite" : "edit"
  const shown = visible(confined.shown)
  const file = { path: shown, action, size: state?.size ?? null, sha256: state?.sha256 ?? null } as const
  const watched = { path: call.path, real: confined.real, sha256: file.sha256 }
  const words = { create: "new file", overwrite: `overwrites ${state?.size ?? 0} bytes`, edit: undefined }[action]
  const details = words === undefined ? [] : [words]
  const unread = isTooLarge(state, call)
  if (unread !== undefined)
    return {
      preview: { file, flags: [...unseen, `no diff: ${shown} ${unread}`], details: [...details, "no diff"] },
      watched,
    }
  const earlier = texts.get(confined.real)
  const before = earlier?.text ?? state?.text
  try {
    const after = call.change(before)
    texts.set(confined.real, { callId, text: after })
    const { diff, flags, details: counts } = await compare({ shown, before, after, redact })
    const hasEarlier = earlier === undefined ? [] : [`the diff is against the result of ${earlier.callId}`]
    return {
      preview: {
        file,
        ...(diff === undefined ? {} : { diff }),
        flags: [...hasEarlier, ...unseen, ...flags],
        details: [...details, ...counts],
      },
      watched,
    }
  } catch (error) {
    return { preview: { file, ...failure(error) }, watched }
  }
}

export interface PreviewPlace {
  readonly callId: string
  readonly redact: Redact
  readonly texts: ChangedTexts
  /** See `ToolContext`. */
  readonly seenContent?: ToolContext["seenContent"]
}

/** Returns what a call would change in its file, without changing it: the diff, the file as it is, and what an approver should notice. */
export const previewChange = async (call: FileCall, place: ChangePlace & PreviewPlace): Promise<ChangePreview> => {
  try {
    return await previewConfined(call, { ...place, confined: await confine(call.path, place) })
  } catch (error) {
    return { preview: failure(error), watched: null }
  }
}
