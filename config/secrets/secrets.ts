import type { Config } from "../../contracts/config/config.ts"
import type { McpServerConfig } from "../../contracts/config/config-services.ts"
import type { ModelSpec, ModelsByName } from "../../contracts/run-snapshot.ts"
import type { Environment } from "../../domain/environment.ts"
import { createRedact, type Redact } from "../../domain/text/redact.ts"
import { usualSecretNames, vendorHeaderVariables } from "../environment-variables.ts"
import { secretsSince } from "./secret-files.ts"

/** Returns the names of the environment variables that contain secrets, by convention or because the configuration names them. */
export const secretEnvNames = (config: Config, models: ModelsByName = {}): ReadonlySet<string> =>
  new Set([...usualSecretNames, ...referencedSecretNames(config, models)])

/** Returns the names of the environment variables with secrets to which the configuration or a model refers. */
export const referencedSecretNames = (config: Config, models: ModelsByName = {}): ReadonlySet<string> => {
  const names = new Set<string>()
  const add = (name: string | undefined): void => {
    if (name !== undefined) names.add(name)
  }
  for (const model of Object.values(config.models))
    if ("apiKeyEnv" in model) for (const name of modelSecretNames(model)) add(name)
  for (const spec of Object.values(models)) for (const name of modelSecretNames(spec)) add(name)
  for (const profile of Object.values(config.agents))
    if (profile.type === "llm")
      for (const credentials of Object.values(profile.credentials ?? {})) add(credentials?.apiKeyEnv)
  for (const profile of Object.values(config.agents))
    if (profile.type === "binary") for (const name of Object.values(profile.envFrom)) add(name)
  for (const server of Object.values(config.mcpServers)) for (const name of mcpSecretNames(server)) add(name)
  for (const hook of Object.values(config.hooks).flat()) if (hook !== undefined && "url" in hook) add(hook.secretEnv)
  for (const token of config.http.tokens) add(token.tokenEnv)
  for (const { secretEnv } of [...config.webhooks, ...Object.values(config.inbound), ...Object.values(config.channels)])
    add(secretEnv)
  for (const destination of Object.values(config.notify)) {
    if ("tokenEnv" in destination) add(destination.tokenEnv)
    if ("secretEnv" in destination) add(destination.secretEnv)
    if ("smtpUrlEnv" in destination) add(destination.smtpUrlEnv)
  }
  const { encryption } = config
  for (const source of encryption === undefined ? [] : [encryption, ...encryption.oldKeys]) add(source.keyEnv)
  add(encryption?.codecTokenEnv)
  return names
}

const modelSecretNames = ({ apiKeyEnv, headersEnv = {} }: Pick<ModelSpec, "apiKeyEnv" | "headersEnv">) => [
  apiKeyEnv,
  ...Object.values(headersEnv),
]

const mcpSecretNames = (server: McpServerConfig) =>
  "url" in server
    ? [...Object.values(server.headersEnv), server.oauth?.clientSecretEnv, server.oauth?.privateKeyEnv]
    : Object.values(server.envFrom)

/** Returns the values of a variable with headers, one in each line: `name: value`. */
const headerValues = (lines = ""): readonly string[] =>
  lines.split("\n").flatMap((line) => (line.includes(":") ? [line.slice(line.indexOf(":") + 1).trim()] : []))

/** Addresses of proxies, which may contain a password. */
const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] as const

/** Returns the password in an address; undefined if it has none. */
const passwordIn = (url: string | undefined): string | undefined => {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { password } = new URL(url)
  return password === "" ? undefined : decodeURIComponent(password)
}

/** Returns a function that removes the values that must not be shown anywhere: also those that are read while the process runs. */
export const createSecretRedact = (
  { config, models }: { readonly config: Config; readonly models: ModelsByName },
  env: Environment,
  others: readonly string[] = [],
): Redact => {
  const known = [...collectSecrets(config, models, env), ...others]
  let since: readonly string[] | undefined
  let all: readonly string[] = known
  return createRedact(() => {
    const present = secretsSince(env)
    if (present !== since) all = [...known, ...present]
    since = present
    return all
  })
}

/** Returns the values that must not be shown anywhere when the process starts. */
export const collectSecrets = (config: Config, models: ModelsByName, env: Environment): readonly string[] => {
  const values = [...secretEnvNames(config, models)].map((name) => env[name])
  const headers = vendorHeaderVariables.flatMap((name) => headerValues(env[name]))
  const mailServers = Object.values(config.notify).map((each) =>
    "smtpUrlEnv" in each ? env[each.smtpUrlEnv] : undefined,
  )
  const addresses = [config.store.url, ...proxyVariables.map((name) => env[name]), ...mailServers]
  return [...new Set([...values, ...headers, ...addresses.map(passwordIn)])].filter(
    (value): value is string => value !== undefined && value.trim() !== "",
  )
}
