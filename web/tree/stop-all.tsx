import { signal } from "@preact/signals"
import { isFinal } from "../../domain/run/is-final.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"
import { counted } from "../../domain/text/figures.ts"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { approvalsRefresher } from "../state/approvals.ts"
import { counts, sessionsRefresher } from "../state/sessions.ts"

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
    told.value = errorMessage(error)
  }
  isBusy.value = false
}

const openCount = (): number =>
  (["pending", "running", "paused"] as const).reduce((sum, name) => sum + (counts.value?.[name] ?? 0), 0)

/** Says how many sessions that is. */
const openText = (): string => {
  const open = openCount()
  return `${counted(open, "open session")} of this store ${open === 1 ? "is" : "are"}`
}

/** Stops every session of the store, after it has asked. */
export const StopAll = () => (
  <div class="stop-all">
    <ConfirmButton
      id="stop"
      opener={{ id: "stop-all", text: `Stop all ${openCount()} …` }}
      question={{
        title: "Stop every session",
        text: `${openText()} cancelled, with everything below. Transcripts are kept.`,
        no: "Keep them running",
        yes: "Stop all",
      }}
      isBusy={isBusy.value}
      onConfirm={() => void stopAll()}
    />
    <p class="quiet" role="status">
      {told.value}
    </p>
  </div>
)
