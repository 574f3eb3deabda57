import { signal } from "@preact/signals"

/** The time, every second while the page is looked at. */
export const now = signal(Date.now())

export const startClock = (): void => {
  setInterval(() => {
    if (document.visibilityState === "visible") now.value = Date.now()
  }, 1_000)
}
