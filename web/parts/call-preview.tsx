import { useState } from "preact/hooks"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { noticesOf } from "../../domain/preview/preview-lines.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { DiffView } from "./diff-view.tsx"

/** Says that a preview is the beginning, and reads all of it when it is asked for. */
const Rest = ({
  summary,
  onRead,
}: {
  readonly summary: string
  /** Undefined if what is shown is all that is kept. */
  readonly onRead: (() => Promise<void>) | undefined
}) => {
  const [failure, setFailure] = useState<string>()
  if (onRead === undefined) return <p class="quiet">This is the beginning: the rest is not kept.</p>
  return (
    <p class="rest-of">
      This is the beginning.{" "}
      <button
        aria-label={`Show the whole change: ${summary}`}
        onClick={() => {
          onRead().catch((error: unknown) => setFailure(errorMessage(error)))
        }}
      >
        Show the whole change
      </button>
      {failure !== undefined && <span class="failure">{failure}</span>}
    </p>
  )
}

/** The preview that the worker made of a pending call: characters that a browser would hide are written out there already. */
export const PreviewView = ({
  preview,
  readWhole,
}: {
  readonly preview: CallPreview
  /** Reads the preview of which a pause has the beginning. */
  readonly readWhole: () => Promise<CallPreview>
}) => {
  const [whole, setWhole] = useState<CallPreview>()
  const { diff, text, summary, file, is_cut: isCut } = whole ?? preview
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
      {diff !== undefined && <DiffView diff={diff} label={summary} file={file?.path} isOpened={whole !== undefined} />}
      {diff === undefined && text !== undefined && (
        <pre tabIndex={0} role="group" aria-label={summary}>
          {text}
        </pre>
      )}
      {preview.confined === true && preview.opens === undefined && <p class="quiet">Runs in the sandbox.</p>}
      {isCut === true && (
        <Rest summary={summary} onRead={whole === undefined ? async () => setWhole(await readWhole()) : undefined} />
      )}
    </>
  )
}
