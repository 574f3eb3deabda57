import { useLayoutEffect, useRef } from "preact/hooks"

const nearEnd = 80
/** Rows are measured, and images come, in the first moments: until then, only what the reader does counts as theirs. */
const settledMs = 1_000

const isNearEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < nearEnd

/**
 * Keeps the end of a scrolling element in view for as long as the reader is there, whatever grows or shrinks: rows that are measured, images that
 * come, a field below that takes its room. A reader who goes up is left alone. Returns whether the end is kept at the moment.
 */
export const useStickyEnd = (
  scroller: { readonly current: HTMLElement | null },
  beginsElsewhere: boolean,
): { current: boolean } => {
  const isKept = useRef(!beginsElsewhere)
  const seen = useRef({ top: 0, height: 0 })
  const settledAt = useRef(performance.now() + settledMs)
  const note = ({ scrollTop, scrollHeight }: HTMLElement): void => {
    seen.current = { top: scrollTop, height: scrollHeight }
  }
  /** Returns whether the element is further up than it was. Where it has become shorter, the browser may have moved it. */
  const isAbove = ({ scrollTop, scrollHeight }: HTMLElement): boolean =>
    scrollTop < seen.current.top - 1 && scrollHeight >= seen.current.height
  const keep = (): void => {
    const { current: element } = scroller
    if (element === null || !isKept.current) return
    // The event that reports a scroll can come after the next drawing: where the reader is, is read from the element itself.
    if (performance.now() > settledAt.current && isAbove(element) && !isNearEnd(element)) {
      isKept.current = false
      return
    }
    element.scrollTop = element.scrollHeight
    note(element)
  }
  useLayoutEffect(keep)
  useLayoutEffect(() => {
    const { current: element } = scroller
    if (element === null) return undefined
    const onScroll = (): void => {
      if (isNearEnd(element)) isKept.current = true
      else if (isAbove(element)) isKept.current = false
      note(element)
    }
    const onInput = (): void => void (settledAt.current = 0)
    const inputs = ["wheel", "touchmove", "keydown", "pointerdown"] as const
    const observer = new ResizeObserver(keep)
    for (const each of [element, ...element.children]) observer.observe(each)
    element.addEventListener("scroll", onScroll, { passive: true })
    for (const input of inputs) element.addEventListener(input, onInput, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", onScroll)
      for (const input of inputs) element.removeEventListener(input, onInput)
    }
  }, [])
  return isKept
}
