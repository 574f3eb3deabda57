import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

/** Rejects with `invalid_argument` if the run's model is scripted and its script cannot be read. */
export const requireScript = async ({ model, models }: Pick<RunSnapshot, "model" | "models">): Promise<void> => {
  const spec = Object.hasOwn(models, model) ? models[model] : undefined
  if (spec?.provider !== "scripted" || spec.script === undefined) return
  const { script } = spec
  const isReadableFile = await stat(script)
    .then(async (found) => {
      await access(script, constants.R_OK)
      return found.isFile()
    })
    .catch(() => false)
  if (!isReadableFile)
    throw new AdjutantError(
      "invalid_argument",
      `the script of model ${model} cannot be read: check models.${model}.script (${script})`,
    )
}
