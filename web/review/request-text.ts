import type { Approval } from "../api/shapes.ts"
import { counted } from "../../domain/text/figures.ts"

/** Returns what a pause requests of a person, in one line. */
export const requestText = ({ pending, type }: Pick<Approval, "pending" | "type">): string => {
  const [first, ...others] = pending
  if (type === "input_required" || first === undefined) return "asks a question"
  const { summary } = first.preview
  return others.length === 0 ? summary : `${summary}, and ${counted(others.length, "more call")}`
}
