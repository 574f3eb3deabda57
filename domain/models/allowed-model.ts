import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isStrongerModel } from "./model-choice.ts"

/** Returns the model that a person set for the session (null: none), unless it is in a higher tier than the run's own model. */
export const allowedModel = (
  run: Pick<RunSnapshot, "model" | "models" | "modelTiers">,
  override: string | null,
): string => (override === null || isStrongerModel(override, run.model, run) ? run.model : override)
