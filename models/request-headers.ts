import type { ModelSpec } from "../contracts/run-snapshot.ts"
import type { Environment } from "../domain/environment.ts"
import { ModelError } from "./model-error.ts"

/** Returns the headers that the configuration adds to a model's requests. @throws ModelError of kind `auth` that names a variable that is not set */
export const requestHeaders = (
  { headers = {}, headersEnv = {} }: Pick<ModelSpec, "headers" | "headersEnv">,
  env: Environment,
): Readonly<Record<string, string>> => {
  const secret = Object.entries(headersEnv).map(([header, name]) => {
    const value = env[name]
    if (value) return [header, value] as const
    throw new ModelError("auth", `the header ${header} needs the environment variable ${name}: set it for the worker`)
  })
  return { ...headers, ...Object.fromEntries(secret) }
}
