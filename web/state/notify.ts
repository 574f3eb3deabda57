import { effect, signal } from "@preact/signals"
import { statusWords } from "../../domain/operator/status-words.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { visible } from "../../domain/text/visible.ts"
import { approvals } from "./approvals.ts"
import { reviewLink, sessionLink } from "./address.ts"
import { go } from "./route.ts"
import { sessions } from "./sessions.ts"

const isOffered = (): boolean => "Notification" in globalThis && Notification.permission === "default"

/** Whether the browser can still be asked for notifications. */
export const canAskToNotify = signal(isOffered())

export const askToNotify = async (): Promise<void> => {
  await Notification.requestPermission()
  canAskToNotify.value = isOffered()
}

/** Shows a notification while nobody looks at the page; a click leads to what it is about. */
const notify = (title: string, { body, tag, link }: Readonly<Record<"body" | "tag" | "link", string>>): void => {
  if (document.visibilityState === "visible" || !("Notification" in globalThis)) return
  if (Notification.permission !== "granted") return
  const shown = new Notification(visible(title), { body: visible(body), tag })
  shown.addEventListener("click", () => {
    focus()
    go(link)
    shown.close()
  })
}

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? ""

/** Notifies of every task that was seen to run, and has completed or failed. */
const notifyOfEnds = (): void => {
  const running = new Set<string>()
  effect(() => {
    for (const session of sessions.value ?? []) {
      const { id, status, title, agent, parent_session_id: parent } = session
      if (!isFinal(status)) running.add(id)
      if (!isFinal(status) || !running.delete(id) || parent !== null || status === "cancelled") continue
      const text =
        status === "completed" ? (session.final_message ?? "") : (session.error?.message ?? statusWords(session))
      notify(`${title ?? agent}: ${statusWords(session)}`, { body: firstLine(text), tag: id, link: sessionLink(id) })
    }
  })
}

/** Notifies of every new pause, and of every end. */
export const startNotifications = (): void => {
  notifyOfEnds()
  let known: ReadonlySet<string> | undefined
  effect(() => {
    const items = approvals.value
    if (items === undefined) return
    const fresh = known === undefined ? [] : items.filter(({ checkpoint_id: id }) => known?.has(id) === false)
    known = new Set(items.map(({ checkpoint_id: id }) => id))
    for (const { checkpoint_id: id, title, agent, pending, message } of fresh)
      notify(title ?? agent, { body: pending[0]?.preview.summary ?? message, tag: id, link: reviewLink(id) })
  })
}
