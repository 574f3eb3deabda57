import type { LoadedConfig } from "../../config/loaded-config.ts"
import { pickRunOptions } from "../../contracts/run/run-options.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { authorityOf } from "../authority/require-authority.ts"
import type { Environment } from "../../domain/environment.ts"
import type { StartRequest } from "../start-request.ts"
import { findSkills } from "../notes/find-skills.ts"
import { planSettings, requireProfile } from "./plan-settings.ts"
import { checkTurnOf, requireOutputSchema } from "../result/check-result.ts"
import { readProjectNotes, readRootNotes } from "./read-project-notes.ts"
import { requireScript } from "./require-script.ts"
import { requireDailyPrice, requirePrice } from "./fields/require-price.ts"
import { hasVariableOf } from "./fields/resolve-keys.ts"
import { configurationOrigin, outsideOrigin } from "./settings-origin.ts"
import { workingDirectory } from "./working-directory.ts"

/**
 * Resolves the settings of a run from the configuration, once, before it starts. Rejects with an error of `planSettings`, or with `invalid_argument` or
 * `forbidden` for the working directory. The snapshot contains names of environment variables, and no secret.
 */
export const resolveRun = async (
  loaded: LoadedConfig,
  request: StartRequest,
  env: Environment,
): Promise<RunSnapshot> => {
  const origin = request.subagent === undefined ? configurationOrigin(loaded) : outsideOrigin(loaded)
  const { type } = requireProfile(request.agent ?? origin.agent, origin.shared.agents)
  const { dataDir } = loaded
  const place = { ...authorityOf(request.actor), dataDir }
  const cwd = await workingDirectory(request.cwd, place)
  const isRoot = request.subagent === undefined && request.isChild !== true
  const readNotes = () => (isRoot ? readRootNotes(cwd, place) : readProjectNotes(cwd, dataDir))
  const [notes, skills] = type === "llm" ? await Promise.all([readNotes(), findSkills(cwd, dataDir)]) : [[]]
  const facts = { hasVariable: hasVariableOf(env), notes, ...(skills === undefined ? {} : { skills }) }
  const planned = planSettings({ ...request, cwd }, origin, facts)
  // What a session below another one can have depends on its caller, which sets it again.
  const explicit = isRoot ? { explicit: Object.keys(pickRunOptions(request)).toSorted() } : {}
  const snapshot = { ...planned, ...explicit }
  requirePrice(snapshot)
  requireDailyPrice(snapshot, loaded.config)
  await requireScript(snapshot)
  await requireOutputSchema(snapshot, checkTurnOf(request.actor))
  return snapshot
}
