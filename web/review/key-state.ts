import { signal } from "@preact/signals"
import { armedMs, atRest, type KeyState } from "./key-rules.ts"

/** What the keys that were pressed so far mean for the next one. */
export const keyState = signal<KeyState>(atRest)

let timer: ReturnType<typeof setTimeout> | undefined

/** Sets the state. What is armed is disarmed after five seconds, so that it is shown no longer than it counts. */
export const setKeyState = (state: KeyState): void => {
  const { armed, isLocked } = keyState.value
  if (armed === state.armed && isLocked === state.isLocked) return
  clearTimeout(timer)
  keyState.value = state
  if (state.armed !== undefined) timer = setTimeout(disarm, armedMs)
}

export const disarm = (): void => setKeyState({ isLocked: keyState.value.isLocked })

/** What keys do with a call. */
export interface CallActions {
  approve(): void
  reason(): void
  edit(): void
  /** Folds the call as viewed, or opens it again. */
  view(): void
}

/** The calls that are shown, by their `data-key`. */
export const callActions = new Map<string, CallActions>()
