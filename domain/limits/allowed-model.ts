import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isStrongerModel } from "./model-choice.ts"

/** The model that a person set for the session, unless it stands above the one that this run was given; null: none was set. */
export const allowedModel = (
  run: Pick<RunSnapshot, "model" | "models" | "modelTiers">,
  override: string | null,
): string => (override === null || isStrongerModel(override, run.model, run) ? run.model : override)
