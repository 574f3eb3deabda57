/** The stored values that determine when a thread binding expires. Limits in milliseconds; 0: none. */
interface BindingTimes {
  readonly boundAt: string
  readonly activeAt: string
  readonly idleMs: number
  readonly maxAgeMs: number
}

/** Returns when the binding expires without further activity, in milliseconds since the epoch; undefined: never. */
export const bindingExpiresAtMs = ({ boundAt, activeAt, idleMs, maxAgeMs }: BindingTimes): number | undefined => {
  const idleEnd = idleMs > 0 ? [Date.parse(activeAt) + idleMs] : []
  const ends = [...idleEnd, ...(maxAgeMs > 0 ? [Date.parse(boundAt) + maxAgeMs] : [])]
  return ends.length === 0 ? undefined : Math.min(...ends)
}
