import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { visible } from "../../domain/text/visible.ts"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { confinePath, type PathContext } from "../files/confined-path.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { FileChange, ToolContext } from "../tool.ts"
import { expectedFailureText, ToolFailure } from "../tool-failure.ts"
import { type FileState, maxComparedBytes, readFileState } from "./file-state.ts"
import { lineEndChange, unifiedDiff } from "./unified-diff.ts"

/** The content of a file when its preview was made, to notice later that it changed. */
export interface WatchedFile {
  readonly path: string
  /** Absolute and real. */
  readonly real: string
  readonly sha256: string | null
  /** The other files of the same call. */
  readonly others?: readonly WatchedFile[]
}

/** What files will contain after the earlier calls of the batch have run, by real path. */
export type ChangedTexts = Map<string, { readonly callId: string; readonly text: string | undefined }>

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
  flags: [`would fail: ${visible(expectedFailureText(error) ?? errorMessage(error))}`],
  details: ["would fail"],
})

const isTooLarge = (state: FileState | undefined, call: FileChange): string | undefined => {
  if (state !== undefined && state.text === undefined)
    return state.size > maxComparedBytes
      ? `has ${state.size} bytes`
      : "is not UTF-8 text: the call would fail, since its content would be lost"
  if (!call.isWhole || call.removes === true) return undefined
  return Buffer.byteLength(call.change(undefined) ?? "") > maxComparedBytes ? "is too large" : undefined
}

interface Compared {
  readonly shown: string
  readonly before: string | undefined
  /** Undefined if the call removes the file. */
  readonly after: string | undefined
  readonly movesTo: string | undefined
  readonly redact: Redact
}

/** Compares the texts. Secrets are removed first: the diff could cut one in two, and its halves would not be recognised. */
const compare = async ({ shown, before, after, movesTo, redact }: Compared) => {
  const [left, right] = [before, after].map((text) => (text === undefined ? undefined : redact(text)))
  const hasSecret = left !== before || right !== after
  const diff = await unifiedDiff(shown, left, right)
  const lineEnds = before === undefined || after === undefined ? undefined : lineEndChange(before, after)
  // `lineEndChange` reports line ends, so they are not reported as hidden characters.
  const written = (right ?? "").replaceAll("\r\n", "\n")
  return {
    diff: diff === undefined ? undefined : visible(diff.text),
    details: diff === undefined ? [] : [`+${diff.added} −${diff.removed}`],
    flags: [
      ...(diff === undefined
        ? ["the file is too different for a diff: the complete new text is in the arguments"]
        : []),
      ...(lineEnds === undefined ? [] : [lineEnds]),
      ...(hasSecret ? ["secrets are redacted in this preview; the call contains them"] : []),
      ...(movesTo === undefined ? [] : [`moves ${shown} to ${visible(movesTo)}`]),
      ...(before !== undefined && before === after && movesTo === undefined ? ["the file would not change"] : []),
      ...(visible(written) === written
        ? []
        : ["the new text contains characters that a screen hides; they are written out"]),
    ],
  }
}

/** Returns a flag for a call that replaces a whole file which the agent has not read as it is now. */
const unseenFlags = async (
  { isWhole }: FileChange,
  { confined, state }: { readonly confined: ConfinedPath; readonly state: FileState | undefined },
  { seenContent, texts }: PreviewPlace,
): Promise<readonly string[]> => {
  if (!isWhole || seenContent === undefined || state === undefined || state.size === 0) return []
  if (texts.has(confined.real)) return []
  const seen = await seenContent(confined.shown)
  if (seen === state.sha256) return []
  return [seen === undefined ? "the agent has not read this file" : "the agent has not read this version of the file"]
}

/** Requires that the target of a move is free, also after the earlier calls of the batch. Returns what to expect there when the call runs: no file. */
const watchTarget = async (
  { path, movesTo }: FileChange,
  { texts, ...place }: ChangePlace & Pick<PreviewPlace, "texts">,
): Promise<(ConfinedPath & { readonly watched: WatchedFile }) | undefined> => {
  if (movesTo === undefined) return undefined
  const target = await confine(movesTo, place)
  const earlier = texts.get(target.real)
  if (earlier === undefined ? (await readFileState(target)) !== undefined : earlier.text !== undefined)
    throw new ToolFailure(`${path} cannot be moved to ${movesTo}, which exists already`)
  return { ...target, watched: { path: movesTo, real: target.real, sha256: null } }
}

const previewConfined = async (
  call: FileChange,
  { confined, ...place }: ChangePlace & PreviewPlace & { readonly confined: ConfinedPath },
): Promise<ChangePreview> => {
  const { redact, texts, callId } = place
  const state = await readFileState(confined)
  const unseen = await unseenFlags(call, { confined, state }, place)
  const action = state === undefined ? "create" : call.isWhole ? "overwrite" : "edit"
  const shown = visible(confined.shown)
  const file = { path: shown, action, size: state?.size ?? null, sha256: state?.sha256 ?? null } as const
  const watched = { path: call.path, real: confined.real, sha256: file.sha256 }
  const words = { create: "new file", overwrite: `overwrites ${state?.size ?? 0} bytes`, edit: undefined }[action]
  const details = call.removes === true ? ["removes the file"] : words === undefined ? [] : [words]
  const unread = isTooLarge(state, call)
  if (unread !== undefined)
    return {
      preview: { file, flags: [...unseen, `no diff: ${shown} ${unread}`], details: [...details, "no diff"] },
      watched,
    }
  const earlier = texts.get(confined.real)
  const before = earlier === undefined ? state?.text : earlier.text
  try {
    const after = call.change(before)
    const target = await watchTarget(call, place)
    if (target !== undefined) texts.set(target.real, { callId, text: after })
    texts.set(confined.real, { callId, text: target === undefined ? after : undefined })
    const compared = { shown, before, after, movesTo: target?.shown, redact }
    const { diff, flags, details: counts } = await compare(compared)
    const hasEarlier = earlier === undefined ? [] : [`the diff is against the result of ${earlier.callId}`]
    return {
      preview: {
        file,
        ...(diff === undefined ? {} : { diff }),
        flags: [...hasEarlier, ...unseen, ...flags],
        details: [...details, ...counts],
      },
      watched: target === undefined ? watched : { ...watched, others: [target.watched] },
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
export const previewChange = async (call: FileChange, place: ChangePlace & PreviewPlace): Promise<ChangePreview> => {
  try {
    return await previewConfined(call, { ...place, confined: await confine(call.path, place) })
  } catch (error) {
    return { preview: failure(error), watched: null }
  }
}

/** Makes one preview of several files. Each flag then begins with the name of its file. */
const joinPreviews = (previews: readonly ChangePreview[]): ChangePreview | undefined => {
  const [first] = previews
  if (first === undefined || previews.length === 1) return first
  const diffs = previews.flatMap(({ preview }) => preview.diff ?? [])
  const watched = previews.flatMap((each) =>
    each.watched === null ? [] : [each.watched, ...(each.watched.others ?? [])],
  )
  const [main, ...others] = watched
  const named = ({ preview, watched: file }: ChangePreview): readonly string[] =>
    preview.flags.map((flag) => (file === null ? flag : `${visible(file.path)}: ${flag}`))
  return {
    preview: {
      ...(diffs.length === 0 ? {} : { diff: diffs.join("\n") }),
      flags: previews.flatMap(named),
      details: [`${previews.length} files`],
    },
    watched: main === undefined ? null : { ...main, others },
  }
}

/**
 * Returns what a call would change in its files; undefined if it changes none. The files go one after another, because one can move to where another one
 * was.
 */
export const previewChanges = async (
  changes: readonly FileChange[],
  place: ChangePlace & PreviewPlace,
): Promise<ChangePreview | undefined> => {
  const previews: ChangePreview[] = []
  for (const change of changes) previews.push(await previewChange(change, place))
  return joinPreviews(previews)
}
