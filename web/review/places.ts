/** Where a person decides or answers: calls and answer fields that are neither being sent nor gone. */
const livePlaces = "[data-pending]:not([data-off]), textarea[data-answer]:not([data-off])"

const cards = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("#pane article[data-session]")]

const placesIn = (card: ParentNode): HTMLElement[] => [...card.querySelectorAll<HTMLElement>(livePlaces)]

const holdsFocus = (element: Element): boolean => element.contains(document.activeElement)

const frameOf = (element: Element): DOMRect | undefined => element.closest("#rows, #pane")?.getBoundingClientRect()

const isBeginAbove = (element: Element): boolean => element.getBoundingClientRect().top < (frameOf(element)?.top ?? 0)

/**
 * Moves the focus through the calls of a session. Beyond them, it goes to the cards of other sessions and not into them: that takes a step that no text
 * contains.
 */
export const moveInReview = (step: number): void => {
  const all = cards()
  const at = all.findIndex(holdsFocus)
  const card = all[at]
  const places = card === undefined ? [] : placesIn(card)
  const from = places.findIndex(holdsFocus)
  const within = from === -1 ? undefined : places[from + step]
  const other = from !== -1 && step < 0 ? card : all[Math.min(all.length - 1, Math.max(0, at + step))]
  const target = within ?? other
  target?.focus()
  // Of a card that is higher than the page, the browser shows what is nearest: its end, for a person who goes up.
  if (target !== undefined && isBeginAbove(target)) target.scrollIntoView({ block: "start" })
}

/** Goes into the card that has the focus, or, where nothing is left in it, into the next one in which something is. */
export const enterCard = (): void => {
  const all = cards()
  const at = all.findIndex(holdsFocus)
  const [target] = [...all.slice(Math.max(0, at)), ...all].flatMap(placesIn)
  target?.focus()
}

/**
 * Moves the focus on from places that are decided: to the next one in the same card, or to the card. Returns where it is then; undefined if the person is
 * elsewhere.
 */
export const moveOn = (card: HTMLElement | null, done: (place: HTMLElement) => boolean): HTMLElement | undefined => {
  const { activeElement: active } = document
  if (card === null || (active !== null && active !== document.body && !card.contains(active))) return undefined
  const all = placesIn(card)
  const last = all.findLastIndex(done)
  const target = [...all.slice(last + 1), ...all].find((place) => !done(place)) ?? card
  target.focus({ preventScroll: target === card })
  return target
}

let isLastStepLetter = false

/** Notes with what a person moved through the page last: a letter, which may have been part of a text, or something else. */
export const noteStep = (step: "letter" | "other"): void => {
  isLastStepLetter = step === "letter"
}

/** Gives the focus to the place where a review begins: to a card, not to a call in it, if a letter led there. A person who types somewhere keeps it. */
export const beginReview = (card: HTMLElement | null | undefined): void => {
  if (card == null || isField(document.activeElement)) return
  const [first] = isLastStepLetter ? [] : placesIn(card)
  const target = first ?? card
  target.focus({ preventScroll: true })
}

export const isField = (target: unknown): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

const leastShown = 40

/** Returns whether a person sees an element, or a good part of it. */
export const isInView = (element: Element): boolean => {
  const { top, bottom, height } = element.getBoundingClientRect()
  const frame = frameOf(element)
  const shown = Math.min(bottom, frame?.bottom ?? bottom, innerHeight) - Math.max(top, frame?.top ?? top, 0)
  return shown >= Math.min(leastShown, height)
}
