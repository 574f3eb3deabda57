import { approvalOf } from "./state/approvals.ts"
import { homeLink, profilesLink, reviewLink, startLink } from "./state/address.ts"
import { go, route } from "./state/route.ts"
import { moveInTree } from "./tree/session-tree.tsx"

const currentSession = (): string | undefined => (route.value.view === "session" ? route.value.id : undefined)

const moveInReview = (step: number): void => {
  const all = [...document.querySelectorAll<HTMLElement>("#review [data-pending], #review textarea")]
  const at = all.findIndex((each) => each.contains(document.activeElement))
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus()
}

const move = (step: number): void => (route.value.view === "review" ? moveInReview(step) : moveInTree(step))

const review = (): void => {
  const id = currentSession()
  go(reviewLink(id === undefined ? undefined : approvalOf(id)?.checkpoint_id))
}

const focusOn = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus()

/** Shortcuts for the whole page. */
const keys: Readonly<Record<string, () => void>> = {
  j: () => move(1),
  k: () => move(-1),
  a: review,
  s: () => focusOn("#text"),
  r: () => go(startLink),
  p: () => go(profilesLink),
  g: () => go(homeLink),
  "/": () => focusOn("#search"),
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

export const startKeys = (): void => {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement instanceof HTMLElement) document.activeElement.blur()
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
    const act = keys[event.key]
    if (act === undefined || document.querySelector("dialog[open]") !== null) return
    event.preventDefault()
    act()
  })
}
