/** A decision that a key has prepared: Ctrl+Enter carries it out. */
export interface Armed {
  /** The call, as its `data-key` names it. */
  readonly call: string
  readonly sinceMs: number
}

export interface KeyState {
  readonly armed?: Armed
  /** Text is being typed where no field has the focus: no letter does anything until the person takes another step. */
  readonly isLocked: boolean
}

/** Where a key goes: a call, the card around calls, a field for text, or anything else. */
export type KeyPlace =
  | { readonly kind: "call"; readonly call: string; readonly isInView: boolean }
  | { readonly kind: "card" | "field" | "page" }

export interface PressedKey {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly repeat: boolean
}

/** What a letter does wherever it is pressed outside a field. None of these gives a call the focus of another session. */
const commands = {
  j: "next",
  k: "previous",
  a: "review",
  s: "compose",
  r: "start",
  p: "profiles",
  g: "home",
  t: "tab",
  "/": "search",
  "?": "find",
} as const
export type KeyboardCommand = (typeof commands)[keyof typeof commands]

export type KeyAct =
  | KeyboardCommand
  /** Carries out the armed approval. */
  | "approve"
  | "reason"
  | "edit"
  | "view"
  /** Brings a call into view that has the focus and cannot be seen. */
  | "show"
  /** Goes from a card into it. */
  | "enter"
  | "leave-field"
  /** Does nothing, and no button may take the key. */
  | "ignore"

export interface KeyOutcome {
  readonly state: KeyState
  readonly act?: KeyAct
}

export const armedMs = 5_000
export const atRest: KeyState = { isLocked: false }

/** Returns whether a key carries out what is armed, or what a field says. */
export const isCarryOut = ({ key, ctrlKey, metaKey }: Pick<PressedKey, "key" | "ctrlKey" | "metaKey">): boolean =>
  key === "Enter" && (ctrlKey || metaKey)

const isCommand = (letter: string): letter is keyof typeof commands => Object.hasOwn(commands, letter)

const carryOut = (
  { armed }: KeyState,
  place: KeyPlace,
  { isRepeat, nowMs }: { readonly isRepeat: boolean; readonly nowMs: number },
): KeyAct | undefined => {
  if (place.kind !== "call") return place.kind === "card" ? "ignore" : undefined
  const isArmed = armed?.call === place.call && nowMs - armed.sinceMs <= armedMs
  if (!isArmed || isRepeat) return "ignore"
  return place.isInView ? "approve" : "show"
}

const pressLetter = (state: KeyState, letter: string, place: KeyPlace, nowMs: number): KeyOutcome => {
  if (place.kind === "call") {
    if (letter === "y")
      return place.isInView
        ? { state: { isLocked: false, armed: { call: place.call, sinceMs: nowMs } } }
        : { state: atRest, act: "show" }
    if (letter === "n") return { state: atRest, act: "reason" }
    if (letter === "e") return { state: atRest, act: "edit" }
    if (letter === "v") return { state: atRest, act: "view" }
    return isCommand(letter) ? { state: atRest, act: commands[letter] } : { state: atRest }
  }
  if (state.isLocked) return { state: { isLocked: true } }
  return isCommand(letter) ? { state: atRest, act: commands[letter] } : { state: { isLocked: true } }
}

/**
 * Returns what a key does. A letter decides nothing: `y` arms the approval of the call that visibly has the focus, Ctrl+Enter carries it out within five
 * seconds, and any other key disarms it. Text that is typed where no field has the focus locks the letters, and what enters a card.
 */
export const press = (state: KeyState, pressed: PressedKey, place: KeyPlace, nowMs: number): KeyOutcome => {
  const { key, ctrlKey, metaKey, altKey, repeat: isRepeat } = pressed
  // Held down for what follows.
  if (key === "Control" || key === "Meta") return { state }
  const disarmed: KeyState = { isLocked: state.isLocked }
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") return { state: disarmed, act: "find" }
  if (place.kind === "field") return { state: disarmed, ...(key === "Escape" ? { act: "leave-field" as const } : {}) }
  if (key === "Escape" || key === "Tab") return { state: atRest }
  if (isCarryOut(pressed)) {
    const act = carryOut(state, place, { isRepeat, nowMs })
    return { state: disarmed, ...(act === undefined ? {} : { act }) }
  }
  if (ctrlKey || metaKey || altKey) return { state: disarmed }
  if (key === "Enter" && place.kind === "card") return { state: disarmed, act: state.isLocked ? "ignore" : "enter" }
  if (key.length !== 1 || key === " ") return { state: disarmed }
  return pressLetter(state, key.toLowerCase(), place, nowMs)
}
