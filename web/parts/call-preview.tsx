import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { noticesOf } from "../../domain/preview/preview-lines.ts"
import { DiffView } from "./diff-view.tsx"

/** The preview that the worker made of a pending call: characters that a browser would hide are written out there already. */
export const PreviewView = ({ preview }: { readonly preview: CallPreview }) => {
  const { diff, text, summary, is_cut: isCut } = preview
  const notices = noticesOf(preview)
  return (
    <>
      {notices.length > 0 && (
        <ul class="notices">
          {notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {diff !== undefined && <DiffView diff={diff} label={summary} />}
      {diff === undefined && text !== undefined && (
        <pre tabIndex={0} role="group" aria-label={summary}>
          {text}
        </pre>
      )}
      {isCut === true && <p class="quiet">This is the beginning. “Edit” shows the complete arguments.</p>}
    </>
  )
}
