import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core"
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"

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

const nearEnd = 80

/**
 * Follows the end of a scrolling element as it grows, for as long as the reader is there. Where the reader is, is read from the element itself: the
 * event that reports a scroll can come after the next drawing.
 */
const useStickyEnd = (scroller: { readonly current: HTMLElement | null }): void => {
  const drawnHeight = useRef<number | undefined>(undefined)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const { current: height } = drawnHeight
    if (height === undefined || height - element.scrollTop - element.clientHeight < nearEnd)
      element.scrollTop = element.scrollHeight
    drawnHeight.current = element.scrollHeight
  })
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

/** A long list of which only what can be seen is drawn. It starts at its end, and stays there while the reader does. */
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
  useStickyEnd(scroller)
  useLayoutEffect(() => {
    if (showIndex === undefined || showIndex < 0) return
    virtualizer.scrollToIndex(showIndex, { align: "start" })
  }, [showIndex, virtualizer])
  const drawn = virtualizer.getVirtualItems()
  const before = drawn[0]?.start ?? 0
  const after = virtualizer.getTotalSize() - (drawn.at(-1)?.end ?? 0)
  const { measureElement } = virtualizer
  return (
    <div id="rows" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <ol style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {drawn.map(({ index, key }) => {
          const item = items[index]
          if (item === undefined) return null
          return (
            <li key={key} data-index={index} ref={measureElement} aria-setsize={items.length} aria-posinset={index + 1}>
              {render(item)}
            </li>
          )
        })}
      </ol>
      {children}
    </div>
  )
}
