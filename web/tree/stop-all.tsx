import { signal } from "@preact/signals"
import { isFinal } from "../../domain/run/is-final.ts"
import { messageOf } from "../api/request.ts"
import { server } from "../api/server.ts"
import { counted } from "../../domain/text/figures.ts"
import { ConfirmButton } from "../parts/confirm-button.tsx"
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
export const StopAll = () => (
  <>
    <ConfirmButton
      id="stop"
      opener={{ id: "stop-all", text: "Stop all …" }}
      question={{
        title: "Stop every session",
        text: "Every open session of this store is cancelled, with everything below it. Transcripts are kept.",
        no: "Keep them running",
        yes: "Stop all",
      }}
      isBusy={isBusy.value}
      onConfirm={() => void stopAll()}
    />
    <p class="quiet" role="status">
      {told.value}
    </p>
  </>
)
