import { signal } from "@preact/signals"
import { parseRoute, type Route } from "./address.ts"

export const route = signal<Route>({ view: "home" })

/** Shows what a link leads to; Back leads to what was there before. */
export const go = (link: string): void => {
  location.hash = link
}

/** Keeps the route as the address has it. */
export const followAddress = (): void => {
  const read = () => {
    route.value = parseRoute(location.hash)
  }
  addEventListener("hashchange", read)
  read()
}
