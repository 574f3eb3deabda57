import { useRef, useState } from "preact/hooks"

/** Asks for the instruction of a fork: the new session exists once that is sent. */
export const ForkButton = ({
  step,
  onFork,
}: {
  readonly step: number
  /** Returns whether the fork was made. */
  readonly onFork: (message: string) => Promise<boolean>
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState("")
  const [isBusy, setBusy] = useState(false)
  const fork = async (): Promise<void> => {
    setBusy(true)
    if (await onFork(text.trim())) setText("")
    setBusy(false)
    dialog.current?.close()
  }
  const title = `fork-${step}-title`
  return (
    <>
      <button
        class="link"
        aria-haspopup="dialog"
        aria-label={`Fork here, at step ${step}`}
        title="Start a new session that continues from this step"
        onClick={() => dialog.current?.showModal()}
      >
        Fork here
      </button>
      <dialog ref={dialog} class="fork" aria-labelledby={title}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void fork()
          }}
        >
          <h2 id={title}>Continue from step {step} in a new session</h2>
          <textarea
            rows={4}
            required
            aria-label="Instruction for the fork"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div class="bar">
            <button class="main" type="submit" disabled={isBusy || text.trim() === ""}>
              Start the fork
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Do not fork
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
