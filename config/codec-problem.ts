import type { Environment } from "../domain/environment.ts"
import { envValue } from "./environment.ts"

const codecVariables = ["TEMPORAL_CODEC_ENDPOINT", "TEMPORAL_CODEC_AUTH"] as const

/** Returns what to say if the environment names a codec for payloads: they are not encoded. Undefined if it names none. */
export const codecProblem = (env: Environment): string | undefined => {
  const found = codecVariables.filter((name) => envValue(env, name) !== undefined)
  if (found.length === 0) return undefined
  const verb = found.length === 1 ? "is" : "are"
  return `${found.join(" and ")} ${verb} set, but Adjutant uses no codec server: set encryption in the configuration to encrypt payloads in Temporal`
}
