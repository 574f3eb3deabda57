import type { AgentProfile, SubagentsConfig } from "../../contracts/config/agent-profile.ts"
import { didYouMean } from "../text/suggest.ts"
import { parseBridgeTemplate } from "../tools/bridge-template.ts"

/** A problem of a profile, at a place in it. */
export interface ProfileProblem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Returns the names in a list of `allowAgents` that no profile has. */
const unknownAgents = (names: readonly string[], known: readonly string[]): readonly ProfileProblem[] =>
  names.flatMap((name, index) =>
    name === "*" || known.includes(name)
      ? []
      : [{ path: ["allowAgents", index], message: `there is no profile ${name}${didYouMean(name, known)}` }],
  )

/** Returns the names in the configuration's own list of `allowAgents` that no profile has. */
export const unknownShared = (
  { allowAgents }: Pick<SubagentsConfig, "allowAgents">,
  known: readonly string[],
): readonly ProfileProblem[] =>
  unknownAgents(allowAgents, known).map(({ path, message }) => ({ path: ["subagents", ...path], message }))

const secretName = /(^|_)(API_?KEY|ACCESS_KEY|SECRET|SECRET_KEY|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY)$/i
const secretValue = /^(sk-|sk_|ghp_|gho_|github_pat_|glpat-|xox[abp]-|AKIA|AIza|-----BEGIN )/

/** Returns whether a variable with a value in a file is likely to be a secret, which belongs in the environment. */
export const isLiteralSecret = (name: string, value: string): boolean =>
  value.trim() !== "" && (secretName.test(name) || secretValue.test(value))

/** Returns what a schema cannot find wrong with a profile. `known`: the names of all profiles; null: they are not known yet. */
export const profileProblems = (profile: AgentProfile, known: readonly string[] | null): readonly ProfileProblem[] => {
  if (profile.type === "llm")
    return known === null
      ? []
      : unknownAgents(profile.subagents?.allowAgents ?? [], known).map(({ path, message }) => ({
          path: ["subagents", ...path],
          message,
        }))
  if (profile.type === "binary")
    return Object.entries(profile.env).flatMap(([name, value]) =>
      isLiteralSecret(name, value)
        ? [
            {
              path: ["env", name],
              message: `looks like a secret, which must not be in the file: put it into a variable of your environment, and name that one with envFrom: { ${name}: <variable> }`,
            },
          ]
        : [],
    )
  if (profile.mcpToolInput === undefined) return []
  // One that cannot be parsed would fail every run of the profile.
  const parsed = parseBridgeTemplate(profile.mcpToolInput)
  return parsed.ok ? [] : [{ path: ["mcpToolInput"], message: parsed.problem }]
}
