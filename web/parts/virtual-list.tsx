import { signal } from "@preact/signals"
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core"
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"
import { useStickyEnd } from "./sticky-end.ts"

const paper = globalThis.matchMedia?.("print")

/** Whether the page is being put on paper, where lists are drawn whole. */
const isPrinting = signal(paper?.matches ?? false)

const set = (value: boolean) => (): void => {
  isPrinting.value = value
}

paper?.addEventListener("change", ({ matches }) => set(matches)())
// Some browsers report only one of both.
globalThis.addEventListener?.("beforeprint", set(true))
globalThis.addEventListener?.("afterprint", set(false))

type Options = VirtualizerOptions<HTMLElement, HTMLLIElement>

const useVirtualizer = (options: Pick<Options, "count" | "getScrollElement" | "estimateSize" | "getItemKey">) => {
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0)
  const all: Options = {
    ...options,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 8,
    onChange: () => redraw(undefined),
  }
  const made = useRef<Virtualizer<HTMLElement, HTMLLIElement> | null>(null)
  made.current ??= new Virtualizer(all)
  const virtualizer = made.current
  virtualizer.setOptions(all)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  return virtualizer
}

interface ListProps<T> {
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string | number
  readonly estimate: number
  readonly render: (item: T) => ComponentChildren
  /** The item to show instead of the end. */
  readonly showIndex?: number
  readonly label: string
  /** What follows the list. */
  readonly children?: ComponentChildren
}

/** A long list of which only what can be seen is drawn, and all of it on paper. It starts at its end, and stays there while the reader does. */
export const VirtualList = <T,>({ items, keyOf, estimate, render, showIndex, label, children }: ListProps<T>) => {
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
  })
  const isAtEnd = useStickyEnd(scroller, showIndex !== undefined)
  // At the end, the end is what stays in place.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = isAtEnd.current ? () => false : undefined
  useLayoutEffect(() => {
    if (showIndex === undefined || showIndex < 0) return
    isAtEnd.current = false
    virtualizer.scrollToIndex(showIndex, { align: "start" })
  }, [showIndex, virtualizer])
  const seen = virtualizer.getVirtualItems()
  const drawn = isPrinting.value ? items.map((item, index) => ({ index, key: keyOf(item) })) : seen
  const before = isPrinting.value ? 0 : (seen[0]?.start ?? 0)
  const after = isPrinting.value ? 0 : virtualizer.getTotalSize() - (seen.at(-1)?.end ?? 0)
  const { measureElement } = virtualizer
  return (
    <div id="rows" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <ol style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {drawn.map(({ index, key }) => {
          const item = items[index]
          if (item === undefined) return null
          return (
            <li
              key={`${key}`}
              data-index={index}
              ref={measureElement}
              aria-setsize={items.length}
              aria-posinset={index + 1}
            >
              {render(item)}
            </li>
          )
        })}
      </ol>
      <div>{children}</div>
    </div>
  )
}
