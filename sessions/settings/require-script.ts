import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"

/** Returns the file with a model's answers, and the key of the configuration that names it. */
const answersFile = ({ provider, script, cassette }: ModelSpec) => {
  if (provider === "scripted" && script !== undefined) return { key: "script", path: script }
  return provider === "cassette" && cassette !== undefined ? { key: "file", path: cassette.file } : undefined
}

/** Rejects with `invalid_argument` if the run's model is scripted, or a cassette, and its file cannot be read. */
export const requireScript = async ({ model, models }: Pick<RunSnapshot, "model" | "models">): Promise<void> => {
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
