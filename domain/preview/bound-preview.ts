import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { startOf } from "../text/foreign/well-formed.ts"

/** Characters of the diffs and texts that a pause shows at first: of all its calls together, and of one call. */
const maxPause = 128_000
const maxCall = 16_000
const minCall = 2_000
const maxFlags = 20

/** Characters of the diff or the text of a call that the store keeps to be reviewed: above the diff of the largest file that is compared. */
export const maxStoredPreview = 8_000_000

const cutLines = (text: string, most: number): string => {
  const end = text.lastIndexOf("\n", most)
  const kept = startOf(text, end > most / 2 ? end : most)
  const rest = text.slice(kept.length).split("\n").length - 1
  return `${kept}\n… (cut: ${rest > 0 ? `${rest} more lines, ` : ""}${text.length} characters in all)`
}

/** Returns how long the diff or the text of one of `calls` pending calls is at first, in characters. The whole is read by call. */
export const previewLimit = (calls: number): number =>
  Math.min(maxCall, Math.max(minCall, Math.floor(maxPause / Math.max(1, calls))))

/** Cuts the long parts of a preview. The arguments of the call remain complete. */
export const boundPreview = (preview: CallPreview, most: number): CallPreview => {
  const { diff, text, flags } = preview
  const isCut = (diff?.length ?? 0) > most || (text?.length ?? 0) > most
  return {
    ...preview,
    ...(diff !== undefined && diff.length > most ? { diff: cutLines(diff, most) } : {}),
    ...(text !== undefined && text.length > most ? { text: cutLines(text, most) } : {}),
    flags: flags.length > maxFlags ? [...flags.slice(0, maxFlags), `${flags.length - maxFlags} more`] : flags,
    ...(isCut ? { is_cut: true } : {}),
  }
}
