import type { Config } from "../contracts/config/config.ts"
import { profileNames } from "../domain/profiles/builtin-profiles.ts"
import { profileProblems, unknownShared } from "../domain/profiles/profile-problems.ts"
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

/** Returns the names of the configured profiles; null if the profiles are in the store. Then names are checked later, when the store is open. */
const knownProfiles = ({ agents, profiles }: Config): readonly string[] | null =>
  profiles.source === "store" ? null : profileNames(agents)

const allowedAgentsExist: Check = (config) => {
  const known = knownProfiles(config)
  return known === null ? [] : unknownShared(config.subagents, known)
}

const profilesAreValid: Check = (config) => {
  const known = knownProfiles(config)
  return Object.entries(config.agents).flatMap(([name, profile]) =>
    profileProblems(profile, known).map(({ path, message }) => ({ path: ["agents", name, ...path], message })),
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

/** Reports models whose key would come from two places. */
const oneKeyPerModel: Check = ({ models }) =>
  Object.entries(models).flatMap(([name, model]) =>
    "apiKeyCommand" in model && model.apiKeyCommand !== undefined && model.apiKeyEnv !== undefined
      ? [{ path: ["models", name, "apiKeyCommand"], message: "the key comes from apiKeyEnv: remove one of the two" }]
      : [],
  )

/** Reports a time for a cache that no request would name. */
const cacheMinutesApply: Check = ({ models }) =>
  Object.entries(models).flatMap(([name, model]) =>
    (model.provider === "openai-compatible" || model.provider === "azure-openai") &&
    model.cacheMinutes !== undefined &&
    model.dialect?.cacheControl !== true
      ? [{ path: ["models", name, "cacheMinutes"], message: "has no effect without dialect: { cacheControl: true }" }]
      : [],
  )

/** Reports settings of the sandbox that would have no effect. */
const sandboxSettingsApply: Check = ({ security }) => {
  const problems: ConfigProblem[] = []
  const { sandbox, sandboxBackends, allowedDomains, dockerImage } = security
  const report = (key: string, message: string) => problems.push({ path: ["security", ...key.split(".")], message })
  const isOff = sandbox.mode === "off"
  for (const [key, hosts] of [
    ["allowedDomains", allowedDomains] as const,
    ["sandbox.network", sandbox.network] as const,
  ])
    if (hosts.length > 0 && isOff)
      report(key, "commands are not confined to these hosts: set security.sandbox to auto or require")
    else if (hosts.length > 0 && !sandboxBackends.includes("sandbox-runtime"))
      report(key, "only sandbox-runtime can allow single hosts: add it to security.sandboxBackends")
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

/** Reports people who are not configured, rules that nobody can meet, and identities that are those of two people. */
const peopleExist: Check = ({ people, approvals, http }) => {
  const known = Object.keys(people)
  const unknown = approvals.flatMap(({ approvers }, index) =>
    approvers.flatMap((name, at) =>
      known.includes(name)
        ? []
        : [
            {
              path: ["approvals", index, "approvers", at],
              message: `there is nobody ${name} in people${didYouMean(name, known)}`,
            },
          ],
    ),
  )
  const unmet = approvals.flatMap(({ approvers, require }, index) =>
    new Set(approvers).size < require
      ? [{ path: ["approvals", index, "require"], message: "is more than there are approvers: name more of them" }]
      : [],
  )
  const tokens = http.tokens.map(({ name }) => name)
  const tokenless = Object.entries(people).flatMap(([name, { token }]) =>
    token === undefined || tokens.includes(token) || token === "api-token"
      ? []
      : [
          {
            path: ["people", name, "token"],
            message: `there is no token ${token} in http.tokens${didYouMean(token, tokens)}`,
          },
        ],
  )
  const taken = personIdentities.flatMap((kind) =>
    Object.entries(people).flatMap(([name, person], index) => {
      const value = person[kind]
      const isTaken = Object.values(people).some(
        (other, at) =>
          at < index && value !== undefined && String(other[kind]).toLowerCase() === String(value).toLowerCase(),
      )
      return isTaken
        ? [{ path: ["people", name, kind], message: "is already that of another person: name each once" }]
        : []
    }),
  )
  return [...unknown, ...unmet, ...tokenless, ...taken]
}

/** Reports names in `notify` and `notifyOn` that lead nowhere. */
const notifyExists: Check = ({ notify, notifyOn, people, inbound, schedules, agents }) => {
  const known = Object.keys(notify)
  const named = [
    { at: ["notifyOn"], on: notifyOn },
    ...Object.entries(schedules).map(([name, { notify: on = {} }]) => ({ at: ["schedules", name, "notify"], on })),
    ...Object.entries(agents).map(([name, { notify: on = {} }]) => ({ at: ["agents", name, "notify"], on })),
  ].flatMap(({ at, on }) => Object.entries(on).map(([event, names]) => ({ path: [...at, event], names })))
  const unknown = named.flatMap(({ path, names }) =>
    names.flatMap((name, index) =>
      known.includes(name)
        ? []
        : [{ path: [...path, index], message: `there is no ${name} in notify${didYouMean(name, known)}` }],
    ),
  )
  const wrong = Object.entries(notify).flatMap(([name, destination]) => {
    const problems: ConfigProblem[] = []
    const person = "person" in destination ? destination.person : undefined
    if (person !== undefined && !Object.hasOwn(people, person))
      problems.push({
        path: ["notify", name, "person"],
        message: `there is nobody ${person} in people${didYouMean(person, Object.keys(people))}`,
      })
    if (
      destination.type === "slack" &&
      destination.inbound !== undefined &&
      inbound[destination.inbound]?.type !== "slack"
    )
      problems.push({
        path: ["notify", name, "inbound"],
        message: `there is no hook ${destination.inbound} of type slack in inbound: add it, or remove this key`,
      })
    return problems
  })
  return [...unknown, ...wrong]
}

const personIdentities = ["github", "slack", "telegram", "token", "local"] as const

/** The checks that a schema cannot express, because they concern several keys. They run when the configuration is read. */
const checks: readonly Check[] = [
  noSecretsForTools,
  summaryModelExists,
  allowedAgentsExist,
  profilesAreValid,
  tokenNamesDiffer,
  peopleExist,
  notifyExists,
  sandboxSettingsApply,
  oneKeyPerModel,
  cacheMinutesApply,
  checkFallbacks,
]

export const checkConfig: Check = (config) => checks.flatMap((check) => check(config))
