import { useLayoutEffect, useRef } from "preact/hooks"

const nearEnd = 80
/** As many drawings with the same height show that the rows are measured. */
const stillFrames = 3
const inputs = ["wheel", "touchmove", "keydown", "pointerdown"] as const

const isNearEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < nearEnd

/** Calls back once the height of an element stays the same, or somebody operates it. Returns how to stop. */
const whenSettled = (element: HTMLElement, onSettled: () => void): (() => void) => {
  let [height, still] = [-1, 0]
  let frame = 0
  const look = (): void => {
    still = element.scrollHeight === height ? still + 1 : 0
    height = element.scrollHeight
    if (still < stillFrames) frame = requestAnimationFrame(look)
    else onSettled()
  }
  frame = requestAnimationFrame(look)
  for (const input of inputs) element.addEventListener(input, onSettled, { passive: true })
  return () => {
    cancelAnimationFrame(frame)
    for (const input of inputs) element.removeEventListener(input, onSettled)
  }
}

/**
 * Keeps the end of a scrolling element in view for as long as the reader is there, whatever grows or shrinks: rows that are measured, images that
 * come, a field below that takes its room. A reader who goes up is left alone. Returns whether the end is kept at the moment.
 */
export const useStickyEnd = (
  scroller: { readonly current: HTMLElement | null },
  beginsElsewhere: boolean,
): { current: boolean } => {
  const isKept = useRef(!beginsElsewhere)
  const isSettled = useRef(false)
  const seenTop = useRef(0)
  const isAbove = (element: HTMLElement): boolean => !isNearEnd(element) && element.scrollTop < seenTop.current - 1
  const keep = (): void => {
    const { current: element } = scroller
    if (element === null || !isKept.current) return
    // The event that reports a scroll can come after the next drawing: where the reader is, is read from the element itself. While rows are measured,
    // the browser moves it, too.
    if (isSettled.current && isAbove(element)) {
      isKept.current = false
      return
    }
    element.scrollTop = element.scrollHeight
    seenTop.current = element.scrollTop
  }
  useLayoutEffect(keep)
  useLayoutEffect(() => {
    const { current: element } = scroller
    if (element === null) return undefined
    const onScroll = (): void => {
      if (isNearEnd(element)) isKept.current = true
      else if (isAbove(element)) isKept.current = false
      seenTop.current = element.scrollTop
    }
    const observer = new ResizeObserver(keep)
    for (const each of [element, ...element.children]) observer.observe(each)
    element.addEventListener("scroll", onScroll, { passive: true })
    const stop = whenSettled(element, () => void (isSettled.current = true))
    return () => {
      stop()
      observer.disconnect()
      element.removeEventListener("scroll", onScroll)
    }
  }, [])
  return isKept
}
