import { activeFallback } from "../../domain/run/model-fallback.ts"
import type { SessionContext } from "./session-context.ts"

/** Returns the model that a person set for the session, or else the run's own. */
export const primaryModel = ({ state, settings }: SessionContext): string =>
  state.modelOverride ?? settings?.model ?? ""

/** Returns the fallback model that takes the run's steps; undefined while its primary model does. */
export const fallbackInUse = (context: SessionContext): string | undefined =>
  activeFallback(context.state.run.fallback, primaryModel(context))

/** Returns the model that takes the run's next step. */
export const modelInUse = (context: SessionContext): string => fallbackInUse(context) ?? primaryModel(context)
