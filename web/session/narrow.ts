import { signal } from "@preact/signals"

const phone = globalThis.matchMedia?.("(max-width: 38rem)")

/** Whether the page is as narrow as on a phone: what is not needed at once is folded there. */
export const isNarrow = signal(phone?.matches ?? false)

phone?.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches
})
