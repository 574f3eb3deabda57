import type { ChildState } from "../limits/child-state.ts"
import { counted } from "../text/figures.ts"

/** Returns a text that names the sub-agents that were cancelled because the run that started them has ended. */
export const stoppedText = (children: readonly Pick<ChildState, "id" | "label">[]): string => {
  const names = children.map(({ id, label }) => (label === null ? id : `${id} (${JSON.stringify(label)})`))
  return `${counted(children.length, "sub-agent")} still worked when the run ended, and ${children.length === 1 ? "was" : "were"} cancelled: ${names.join(", ")}`
}
