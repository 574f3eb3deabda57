import type { FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { HttpLimits } from "../http-options.ts"
import { limitKeyOf } from "../access.ts"

/** The streams and waiting requests that are open, in total and for each caller. */
export interface OpenStreams {
  /** Counts `waits` more, and returns a function that ends them. @throws AdjutantError `rate_limited` */
  take(request: FastifyRequest, waits?: number): () => void
}

/** The numbers of a server that its routes change. */
export interface HttpMetrics {
  readonly streams: OpenStreams
}

/** Creates the counter. `changed` receives the total after each change. */
export const createOpenStreams = (
  { streams, streamsPerCaller }: Pick<HttpLimits, "streams" | "streamsPerCaller">,
  changed: (total: number) => void,
): OpenStreams => {
  const counts = new Map<string, number>()
  let total = 0
  const add = (key: string, change: number): void => {
    const count = (counts.get(key) ?? 0) + change
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
    changed((total += change))
  }
  return {
    take(request, waits = 1) {
      const key = limitKeyOf(request)
      if ((counts.get(key) ?? 0) + waits > streamsPerCaller)
        throw new AdjutantError(
          "rate_limited",
          `${streamsPerCaller} streams and waiting requests of this token are open; close one, or try again later`,
        )
      if (total + waits > streams)
        throw new AdjutantError(
          "rate_limited",
          `${streams} streams and waiting requests are open; close one, or try again later`,
        )
      add(key, waits)
      let isOpen = true
      return () => {
        if (isOpen) add(key, -waits)
        isOpen = false
      }
    },
  }
}
