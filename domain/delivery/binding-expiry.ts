/** What the expiry of a thread's binding depends on. Times are milliseconds since the epoch; 0: no limit. */
export interface BindingAge {
  readonly boundAtMs: number
  readonly activeAtMs: number
  readonly idleMs: number
  readonly maxAgeMs: number
}

/** When the binding ends if nothing happens; undefined: never. */
export const bindingExpiresAtMs = ({ boundAtMs, activeAtMs, idleMs, maxAgeMs }: BindingAge): number | undefined => {
  const ends = [...(idleMs > 0 ? [activeAtMs + idleMs] : []), ...(maxAgeMs > 0 ? [boundAtMs + maxAgeMs] : [])]
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** A row's times as the store has them. */
export const bindingAge = (row: {
  readonly boundAt: string
  readonly activeAt: string
  readonly idleMs: number
  readonly maxAgeMs: number
}): BindingAge => ({
  boundAtMs: Date.parse(row.boundAt),
  activeAtMs: Date.parse(row.activeAt),
  idleMs: row.idleMs,
  maxAgeMs: row.maxAgeMs,
})
