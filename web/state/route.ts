import { signal } from "@preact/signals"
import { parseRoute, type Route } from "./address.ts"

export const route = signal<Route>({ view: "home" })

const read = (): void => {
  route.value = parseRoute(location.hash)
}

/** Shows what a link leads to; Back leads to what was there before. */
export const go = (link: string): void => {
  location.hash = link
  // The event comes later, and the next key can come before it.
  read()
}

/** Keeps the route as the address has it. */
export const followAddress = (): void => {
  addEventListener("hashchange", read)
  read()
}
