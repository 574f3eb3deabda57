import type { Config } from "../contracts/config/config.ts"
import { parseBridgeTemplate } from "../domain/tools/bridge-template.ts"
import { builtinProfileNames } from "../domain/prompts/role-prompts.ts"
import { didYouMean } from "../domain/text/suggest.ts"
import type { ConfigProblem } from "./config-problem.ts"
import { checkFallbacks } from "./models/check-fallbacks.ts"
import { secretEnvNames } from "./secrets/secrets.ts"

type Check = (config: Config) => readonly ConfigProblem[]

/** Reports secrets that tools could read from their environment. */
const noSecretsForTools: Check = (config) => {
  const secrets = secretEnvNames(config)
  return config.security.envAllow.flatMap((name, index) =>
    secrets.has(name)
      ? [
          {
            path: ["security", "envAllow", index],
            message: `${name} contains a secret, which tools must not get: remove it`,
          },
        ]
      : [],
  )
}

const allowedAgentsExist: Check = (config) => {
  const known = [...builtinProfileNames, ...Object.keys(config.agents)]
  const lists: (readonly [path: readonly PropertyKey[], names: readonly string[]])[] = [
    [["subagents", "allowAgents"], config.subagents.allowAgents],
  ]
  for (const [name, profile] of Object.entries(config.agents))
    if (profile.type === "llm")
      lists.push([["agents", name, "subagents", "allowAgents"], profile.subagents?.allowAgents ?? []])
  return lists.flatMap(([path, names]) =>
    names.flatMap((name, index) =>
      name === "*" || known.includes(name)
        ? []
        : [{ path: [...path, index], message: `there is no profile ${name}${didYouMean(name, known)}` }],
    ),
  )
}

const tokenNamesDiffer: Check = (config) =>
  config.http.tokens.flatMap(({ name }, index) =>
    config.http.tokens.findIndex((other) => other.name === name) === index
      ? []
      : [
          {
            path: ["http", "tokens", index, "name"],
            message: `${name} is already the name of another token: choose another one`,
          },
        ],
  )

/** Reports templates that cannot be parsed, which would fail every run of their profile. */
const templatesCanBeRead: Check = (config) =>
  Object.entries(config.agents).flatMap(([name, profile]) => {
    if (profile.type !== "mcp-bridge" || profile.mcpToolInput === undefined) return []
    const parsed = parseBridgeTemplate(profile.mcpToolInput)
    return parsed.ok ? [] : [{ path: ["agents", name, "mcpToolInput"], message: parsed.problem }]
  })

/** Reports settings of the sandbox that would have no effect. */
const sandboxSettingsApply: Check = ({ security }) => {
  const problems: ConfigProblem[] = []
  const { sandbox, sandboxBackends, allowedDomains, dockerImage } = security
  const report = (key: string, message: string) => problems.push({ path: ["security", key], message })
  if (allowedDomains.length > 0 && sandbox === "off")
    report("allowedDomains", "commands are not confined to these hosts: set security.sandbox to auto or require")
  else if (allowedDomains.length > 0 && !sandboxBackends.includes("sandbox-runtime"))
    report("allowedDomains", "only sandbox-runtime can allow single hosts: add it to security.sandboxBackends")
  if (dockerImage !== undefined && !sandboxBackends.includes("docker"))
    report("dockerImage", "no backend uses it: add docker to security.sandboxBackends")
  if (dockerImage === undefined && sandboxBackends.includes("docker"))
    report("sandboxBackends", "docker requires an image: set security.dockerImage")
  return problems
}

/** Reports a model for summaries that is not configured; `main` and `light` may come from the environment. */
const summaryModelExists: Check = ({ compaction, models }) => {
  const { model } = compaction
  const known = ["main", "light", ...Object.keys(models)]
  return model === undefined || known.includes(model)
    ? []
    : [{ path: ["compaction", "model"], message: `there is no model ${model}${didYouMean(model, known)}` }]
}

/** The checks that a schema cannot express, because they concern several keys. They run when the configuration is read. */
const checks: readonly Check[] = [
  noSecretsForTools,
  summaryModelExists,
  allowedAgentsExist,
  tokenNamesDiffer,
  templatesCanBeRead,
  sandboxSettingsApply,
  checkFallbacks,
]

export const checkConfig: Check = (config) => checks.flatMap((check) => check(config))
