import type { LoadedConfig } from "../../config/loaded-config.ts"
import { pickRunOptions } from "../../contracts/run/run-options.ts"
import type { RunSnapshot, ModelSpec } from "../../contracts/run-snapshot.ts"
import { authorityOf } from "../authority/require-authority.ts"
import type { Environment } from "../../domain/environment.ts"
import type { StartRequest } from "../start-request.ts"
import { findSkills } from "../notes/find-skills.ts"
import { planSettings, requireProfile } from "./plan-settings.ts"
import { checkTurnOf, requireOutputSchema } from "../result/check-result.ts"
import { readProjectNotes, readRootNotes } from "./read-project-notes.ts"
import { requireDailyPrice, requirePrice } from "./fields/require-price.ts"
import { hasVariableOf } from "./fields/resolve-keys.ts"
import { configurationOrigin, outsideOrigin } from "./settings-origin.ts"
import { workingDirectory } from "./working-directory.ts"
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Returns the file with a model's answers, and the key of the configuration that names it. */
const answersFile = ({ provider, script, cassette }: ModelSpec) => {
  if (provider === "scripted" && script !== undefined) return { key: "script", path: script }
  return provider === "cassette" && cassette !== undefined ? { key: "file", path: cassette.file } : undefined
}

/** Rejects with `invalid_argument` if the run's model is scripted, or a cassette, and its file cannot be read. */
const requireScript = async ({ model, models }: Pick<RunSnapshot, "model" | "models">): Promise<void> => {
  const spec = Object.hasOwn(models, model) ? models[model] : undefined
  const file = spec === undefined ? undefined : answersFile(spec)
  if (file === undefined) return
  const isReadableFile = await stat(file.path)
    .then(async (found) => {
      await access(file.path, constants.R_OK)
      return found.isFile()
    })
    .catch(() => false)
  if (!isReadableFile)
    throw new AdjutantError(
      "invalid_argument",
      `the ${file.key} of model ${model} cannot be read: check models.${model}.${file.key} (${file.path})`,
    )
}

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
