import type { Checked } from "../../domain/checked.ts"
import { rememberId } from "../../domain/session/session-state.ts"
import type { SessionContext } from "../session/session-context.ts"

export const checkModel = (context: SessionContext, value: unknown): Checked<string> => {
  const name = typeof value === "object" && value !== null && "model" in value ? value.model : value
  if (typeof name !== "string" || name === "") return { ok: false, problem: "expected {model}" }
  const known = context.settings?.modelNames
  return known === undefined || known.includes(name)
    ? { ok: true, value: name }
    : { ok: false, problem: `unknown model ${name}; configured: ${known.join(", ")}` }
}

/** Uses a model from the next step on. An update that was not answered in time comes as a signal, too, and counts once. */
export const takeChosenModel = ({ state }: SessionContext, model: string, id: string | undefined): void => {
  // Temporal has the sender, whom an activity looks up.
  state.hasUpdatesByHand = true
  if (id !== undefined && !rememberId(state.messageIds, id)) return
  state.modelOverride = model
  // A person's choice also ends the use of a fallback model.
  state.run.fallback = null
}
