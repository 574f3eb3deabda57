import { useRef } from "preact/hooks"

/** A button that asks in a dialog before it acts. */
export const ConfirmButton = ({
  id,
  opener,
  question,
  isBusy,
  onConfirm,
}: {
  /** Of the dialog. */
  readonly id: string
  readonly opener: { readonly id?: string; readonly text: string; readonly class?: string }
  readonly question: { readonly title: string; readonly text: string; readonly no: string; readonly yes: string }
  readonly isBusy: boolean
  readonly onConfirm: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <button
        id={opener.id}
        type="button"
        class={opener.class}
        aria-haspopup="dialog"
        disabled={isBusy}
        onClick={() => {
          if (dialog.current === null) return
          dialog.current.returnValue = ""
          dialog.current.showModal()
        }}
      >
        {opener.text}
      </button>
      <dialog
        id={id}
        ref={dialog}
        aria-labelledby={`${id}-title`}
        onClose={(event) => {
          if (event.currentTarget.returnValue === "yes") onConfirm()
        }}
      >
        <div>
          <h2 id={`${id}-title`}>{question.title}</h2>
          <p>{question.text}</p>
          <div class="bar">
            <button type="button" onClick={() => dialog.current?.close("no")}>
              {question.no}
            </button>
            <button type="button" class="danger" onClick={() => dialog.current?.close("yes")}>
              {question.yes}
            </button>
          </div>
        </div>
      </dialog>
    </>
  )
}
