import { effect, signal } from "@preact/signals"
import { visible } from "../../domain/text/visible.ts"
import { approvals } from "./approvals.ts"
import { reviewLink } from "./address.ts"
import { go } from "./route.ts"

const isOffered = (): boolean => "Notification" in globalThis && Notification.permission === "default"

/** Whether the browser can still be asked for notifications. */
export const canAskToNotify = signal(isOffered())

export const askToNotify = async (): Promise<void> => {
  await Notification.requestPermission()
  canAskToNotify.value = isOffered()
}

/** Notifies of every new pause while nobody looks at the page. */
export const startNotifications = (): void => {
  let known: ReadonlySet<string> | undefined
  effect(() => {
    const items = approvals.value
    if (items === undefined) return
    const fresh = known === undefined ? [] : items.filter(({ checkpoint_id: id }) => known?.has(id) === false)
    known = new Set(items.map(({ checkpoint_id: id }) => id))
    if (document.visibilityState === "visible" || !("Notification" in globalThis)) return
    if (Notification.permission !== "granted") return
    for (const { checkpoint_id: id, title, agent, pending, message } of fresh) {
      const body = pending[0]?.preview.summary ?? visible(message)
      const shown = new Notification(visible(title ?? agent), { body, tag: id })
      shown.addEventListener("click", () => {
        focus()
        go(reviewLink(id))
        shown.close()
      })
    }
  })
}
