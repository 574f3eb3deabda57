import { useReducer, useRef } from "preact/hooks"

export interface Held<T> {
  readonly item: T
  /** It is no longer among the items, and shown because the focus is in it. */
  readonly isGone: boolean
}

/**
 * Returns the items, and at its place one that is gone while the focus is in it: what somebody types there is neither lost nor taken for keys. It is
 * dropped when the focus leaves it.
 */
export const useHeld = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  place: { readonly current: HTMLElement | null },
  /** The attribute that has the key of an item. */
  attribute: string,
): { readonly held: readonly Held<T>[]; readonly onFocusOut: (event: FocusEvent) => void } => {
  const shown = useRef<readonly T[]>(items)
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0)
  const elementOf = (item: T): Element | null =>
    place.current?.querySelector(`[${attribute}="${CSS.escape(keyOf(item))}"]`) ?? null
  const keys = new Set(items.map(keyOf))
  const at = shown.current.findIndex(
    (item) => !keys.has(keyOf(item)) && elementOf(item)?.contains(document.activeElement) === true,
  )
  const kept = shown.current[at]
  const all = kept === undefined ? items : items.toSpliced(Math.min(at, items.length), 0, kept)
  shown.current = all
  return {
    held: all.map((item) => ({ item, isGone: item === kept })),
    onFocusOut: ({ relatedTarget }) => {
      if (kept === undefined || (relatedTarget instanceof Node && elementOf(kept)?.contains(relatedTarget) === true))
        return
      redraw(undefined)
    },
  }
}
