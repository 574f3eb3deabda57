const firstMs = 20
const longestMs = 250

/** Yields the delays between checks of something that is about to change, in milliseconds: short at first, then longer. Never ends. */
export function* pollDelaysMs(): Generator<number, never, undefined> {
  for (let delayMs = firstMs; ; delayMs = Math.min(delayMs * 2, longestMs)) yield delayMs
}
