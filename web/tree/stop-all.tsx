import { signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { isFinal } from "../../domain/run/is-final.ts"
import { messageOf } from "../api/request.ts"
import { server } from "../api/server.ts"
import { counted } from "../../domain/text/figures.ts"
import { approvalsRefresher } from "../state/approvals.ts"
import { sessionsRefresher } from "../state/sessions.ts"

/** What came of it, or what is going on. */
const told = signal<string | undefined>(undefined)
const isBusy = signal(false)

const stopAll = async (): Promise<void> => {
  isBusy.value = true
  told.value = "Stopping every session …"
  try {
    const { items } = await server.stopAll()
    const left = items.filter(({ status }) => !isFinal(status)).length
    const ended = counted(items.length - left, "session")
    told.value = left === 0 ? `Stopped ${ended}.` : `Stopped ${ended}; ${left} still stopping.`
    await Promise.all([sessionsRefresher.now(), approvalsRefresher.now()])
  } catch (error) {
    told.value = messageOf(error)
  }
  isBusy.value = false
}

/** Stops every session of the store, after it has asked. */
export const StopAll = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <button
        id="stop-all"
        aria-haspopup="dialog"
        disabled={isBusy.value}
        onClick={() => {
          if (dialog.current === null) return
          dialog.current.returnValue = ""
          dialog.current.showModal()
        }}
      >
        Stop all …
      </button>
      <p class="quiet" role="status">
        {told.value}
      </p>
      <dialog
        id="stop"
        ref={dialog}
        aria-labelledby="stop-title"
        onClose={(event) => {
          if (event.currentTarget.returnValue === "stop") void stopAll()
        }}
      >
        <form method="dialog">
          <h2 id="stop-title">Stop every session</h2>
          <p>Every open session of this store is cancelled, with everything below it. Transcripts are kept.</p>
          <div class="bar">
            <button value="no">Keep them running</button>
            <button value="stop" class="danger">
              Stop all
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
