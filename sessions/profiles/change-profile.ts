import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { argumentProblem } from "../../contracts/argument-problem.ts"
import type { SubagentsConfig } from "../../contracts/config/agent-profile.ts"
import { type StoredProfile, storedProfileSchema } from "../../contracts/config/stored-profile.ts"
import type { Agent } from "../../contracts/http/agents.ts"
import { widenedSubagents } from "../../domain/limits/widened-subagents.ts"
import { findProfile, profileNames } from "../../domain/profiles/builtin-profiles.ts"
import { profileProblems } from "../../domain/profiles/profile-problems.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { ProfileLimits } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { requireAdmin } from "../authority/require-authority.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { profileNotFound, profileView } from "./read-profile.ts"
import { type CurrentProfiles, currentProfiles } from "./stored-profiles.ts"
import { unknownAgents } from "./unknown-agents.ts"

export interface ProfileRequest {
  readonly name: string
  /** As the caller sent it: it is validated here. */
  readonly profile: unknown
}

/** The settings of each run contain all profiles, so their number and size is limited. */
const limits: ProfileLimits = { mostProfiles: 100, mostBytes: 1_048_576 }

/** Requires a caller who may change profiles, and a name that the configuration leaves to the store. */
const requireEditable = ({ loaded: { config } }: SessionsContext, name: string, actor: Actor): void => {
  requireAdmin(actor, "changing profiles")
  if (config.profiles.source !== "store")
    throw new AdjutantError(
      "forbidden",
      "profiles come from the configuration file only: set profiles.source to store there",
    )
  if (findProfile(name, config.agents) !== undefined)
    throw new AdjutantError(
      "profile_exists",
      `profile ${name} is built in or in the configuration file: change it there, or choose another name`,
    )
}

const invalid = (name: string, problem: string): AdjutantError =>
  new AdjutantError("invalid_argument", `profile ${name} is not valid: ${problem}`)

const widenedProblem = (profile: StoredProfile, shared: SubagentsConfig, name: string): string | undefined => {
  const own = profile.type === "llm" ? profile.subagents : undefined
  const widened = own === undefined ? [] : widenedSubagents(own, shared, name)
  if (widened.length === 0) return undefined
  const keys = widened.map((key) => `subagents.${key}`).join(", ")
  return `${keys}: more than the configuration file allows under subagents; lower it, or change the file`
}

/** Validates a profile as if it were in the configuration file, and refuses one that allows more than the file does. */
const parseProfile = (
  context: SessionsContext,
  { name, profile }: ProfileRequest,
  { agents }: Pick<CurrentProfiles, "agents">,
): StoredProfile => {
  const parsed = storedProfileSchema.safeParse(profile)
  if (!parsed.success) throw invalid(name, argumentProblem(parsed.error))
  const [problem] = profileProblems(parsed.data, [...profileNames(agents), name])
  if (problem !== undefined) throw invalid(name, `${problem.path.join(".")}: ${problem.message}`)
  const widened = widenedProblem(parsed.data, context.loaded.config.subagents, name)
  if (widened !== undefined) throw invalid(name, widened)
  if (JSON.stringify(redactTexts(parsed.data, context.redact)) !== JSON.stringify(parsed.data))
    throw invalid(name, "it contains the value of a secret: remove it")
  return parsed.data
}

const full = new AdjutantError(
  "invalid_argument",
  `the store has room for ${limits.mostProfiles} profiles of ${limits.mostBytes} bytes in all: delete or shorten one first`,
)

const changed = (name: string): AdjutantError =>
  new AdjutantError("profile_changed", `profile ${name} has been changed or deleted: read it again, then repeat`)

const exists = (name: string): AdjutantError =>
  new AdjutantError("profile_exists", `there is already a profile ${name}: edit it, or choose another name`)

const requireStored = (name: string, { stored }: CurrentProfiles): void => {
  if (!stored.has(name)) throw profileNotFound(name, [...stored.keys()])
}

/** Validates and writes a profile. What the answer needs is read first, so that nothing can fail after the profile is written. */
const saveProfile = async (
  context: SessionsContext,
  { base, ...request }: ProfileRequest & { readonly base: number | "none" },
  actor: Actor,
): Promise<Agent> => {
  const { name } = request
  requireEditable(context, name, actor)
  const current = await currentProfiles(context)
  const profile = parseProfile(context, request, current)
  if (base !== "none") requireStored(name, current)
  const open = await context.store.sessions.listOpen()
  const outcome = await context.store.profiles.change({ name, base, profile, ...auditedActor(actor) }, limits)
  if (outcome.kind === "full") throw full
  if (outcome.kind === "conflict") throw base === "none" ? exists(name) : changed(name)
  return profileView(context, name, { agents: { ...current.agents, [name]: profile }, open, stored: outcome })
}

/**
 * Creates a profile in the store. Sessions that start afterwards can run as it.
 * @throws AdjutantError `forbidden`, `invalid_argument`, `profile_exists`
 */
export const createProfile = (context: SessionsContext, request: ProfileRequest, actor: Actor): Promise<Agent> =>
  saveProfile(context, { name: request.name, profile: request.profile, base: "none" }, actor)

/**
 * Replaces a profile of the store. `version`: the one that the caller has read. Sessions keep the settings with which their runs started.
 * @throws AdjutantError `forbidden`, `invalid_argument`, `profile_not_found`, `profile_changed`
 */
export const updateProfile = (
  context: SessionsContext,
  { name, profile, version }: ProfileRequest & { readonly version: number },
  actor: Actor,
): Promise<Agent> => saveProfile(context, { name, profile, base: version }, actor)

/** Warns if `allowAgents` of other profiles still names a deleted one. Never fails. */
const warnOfUnknown = async (context: SessionsContext, deleted: string): Promise<void> => {
  try {
    for (const unknown of await unknownAgents(context)) context.logger.warn({ deleted }, unknown)
  } catch (error) {
    context.logger.warn(
      { deleted, problem: errorMessage(error) },
      "the other profiles could not be checked for its name",
    )
  }
}

/**
 * Deletes a profile of the store. Runs that have started keep its settings. `version`: only this one.
 * @throws AdjutantError `forbidden`, `profile_not_found`, `profile_changed`
 */
export const deleteProfile = async (
  context: SessionsContext,
  { name, version }: { readonly name: string; readonly version?: number | undefined },
  actor: Actor,
): Promise<void> => {
  requireEditable(context, name, actor)
  requireStored(name, await currentProfiles(context))
  const { kind } = await context.store.profiles.change(
    { name, base: version ?? "any", profile: null, ...auditedActor(actor) },
    limits,
  )
  if (kind === "conflict") throw changed(name)
  await warnOfUnknown(context, name)
}
