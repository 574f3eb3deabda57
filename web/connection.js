import { byId } from "./element.js"

const troubles = new Map()

/** Tells what does not work, for as long as it does not: one line for the whole page. `who` is what asked the server. */
export const connection = (who) => ({
  lost: (error) => show(() => troubles.set(who, error.message)),
  restored: () => show(() => troubles.delete(who)),
})

const show = (change) => {
  change()
  const [text = ""] = troubles.values()
  const line = byId("connection")
  if (line.textContent !== text) line.textContent = text
}
