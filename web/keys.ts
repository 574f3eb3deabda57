import { openFinder } from "./find/finder.tsx"
import { homeLink, profilesLink, reviewLink, sessionLink, startLink, tabs } from "./state/address.ts"
import { type KeyAct, type KeyPlace, press } from "./review/key-rules.ts"
import { callActions, disarm, keyState, setKeyState } from "./review/key-state.ts"
import { beginReview, enterCard, isField, isInView, moveInReview, noteStep } from "./review/places.ts"
import { waitingApproval } from "./state/approvals.ts"
import { go, route } from "./state/route.ts"
import { moveInTree } from "./tree/session-tree.tsx"

const move = (step: number): void => (route.value.view === "review" ? moveInReview(step) : moveInTree(step))

const review = (): void => {
  const { value: at } = route
  if (at.view === "review") return beginReview(document.querySelector<HTMLElement>("#review article[data-session]"))
  const id = at.view === "session" ? at.id : undefined
  go(reviewLink(id === undefined ? undefined : waitingApproval(id)?.checkpoint_id))
}

/** Shows the next view of the session. */
const nextTab = (): void => {
  const { value: at } = route
  if (at.view === "session") go(sessionLink(at.id, tabs[(tabs.indexOf(at.tab) + 1) % tabs.length]))
}

const focusOn = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus()

const focusedCall = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>("[data-pending]:not([data-off])") ?? null

/** Gives the focus of a field back to the call or the card that it belongs to. */
const leaveField = (): void => {
  const { activeElement: field } = document
  if (!(field instanceof HTMLElement)) return
  const owner = field.closest<HTMLElement>("[data-pending]") ?? field.closest<HTMLElement>("article[data-session]")
  if (owner === null) field.blur()
  else owner.focus()
}

const actOnCall = (act: "approve" | "reason" | "edit" | "view"): void =>
  callActions.get(focusedCall()?.dataset["key"] ?? "")?.[act]()

const acts: Readonly<Record<KeyAct, () => void>> = {
  next: () => move(1),
  previous: () => move(-1),
  review,
  compose: () => focusOn("#text"),
  start: () => go(startLink),
  profiles: () => go(profilesLink),
  home: () => go(homeLink),
  tab: nextTab,
  search: () => focusOn("#search"),
  find: openFinder,
  approve: () => actOnCall("approve"),
  reason: () => actOnCall("reason"),
  edit: () => actOnCall("edit"),
  view: () => actOnCall("view"),
  show: () => focusedCall()?.scrollIntoView({ block: "nearest" }),
  enter: enterCard,
  "leave-field": leaveField,
  ignore: () => undefined,
}

const keyPlaceOf = (target: EventTarget | null): KeyPlace => {
  if (isField(target)) return { kind: "field" }
  const call = focusedCall()
  if (call !== null) return { kind: "call", call: call.dataset["key"] ?? "", isInView: isInView(call) }
  const { activeElement: active } = document
  // A link or a button of a card takes Enter itself.
  const isCard = active?.matches("article[data-session], [data-pending][data-off]") === true
  return { kind: isCard ? "card" : "page" }
}

const onKey = (event: KeyboardEvent): void => {
  if (document.querySelector("dialog[open]") !== null) {
    disarm()
    return
  }
  const { state, act } = press(keyState.value, event, keyPlaceOf(event.target), performance.now())
  setKeyState(state)
  if (event.key.length === 1 && act !== undefined) noteStep("letter")
  else if (event.key === "Enter" && !state.isLocked) noteStep("other")
  if (act === undefined) return
  // A field handles its Escape, too: a form in it may close.
  if (act !== "leave-field") {
    event.preventDefault()
    event.stopPropagation()
  }
  acts[act]()
}

/** Handles the keys of the whole page, before anything on it does. */
export const startKeys = (): void => {
  addEventListener("keydown", onKey, { capture: true })
  for (const change of ["focusin", "focusout", "blur"]) addEventListener(change, disarm)
  addEventListener(
    "pointerdown",
    () => {
      noteStep("other")
      setKeyState({ isLocked: false })
    },
    { capture: true },
  )
}
