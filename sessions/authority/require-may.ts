import type { LoadedConfig } from "../../config/loaded-config.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { requestedApproval } from "../../domain/approval/narrow-approval.ts"
import { mayDecide } from "../../domain/people/right-to-decide.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { RunOptions } from "../../contracts/run/run-options.ts"
import type { Actor } from "../actor.ts"
import { personOfActor } from "./person-of-actor.ts"

type Configured = Pick<LoadedConfig, "config">

/** A call that is decided before a person has seen it, or by somebody else. */
interface LaterCall {
  /** A tool, or a pattern of tools. */
  readonly name: string
  readonly profile: string
}

/**
 * Requires that an actor who is one of `people` may decide about calls, since what they ask for decides about them later.
 * @throws AdjutantError `forbidden`
 */
export const requireMay = (
  loaded: Configured,
  actor: Actor | undefined,
  { what, calls }: { readonly what: string; readonly calls: readonly LaterCall[] },
): void => {
  const { people } = loaded.config
  const person = personOfActor(loaded, actor)
  const beyond = person === undefined ? undefined : calls.find((call) => !mayDecide(people, person, call))
  if (beyond === undefined) return
  const { name, profile } = beyond
  throw new AdjutantError(
    "forbidden",
    `${what} for ${name} of ${profile} requires the right to decide about such calls: people.${person}.may does not name them`,
  )
}

/**
 * Requires that the holder of a token may decide about what a request approves beforehand. The user of this machine can change the configuration.
 * @throws AdjutantError `forbidden`
 */
export const requireMayApprove = (
  loaded: Configured,
  {
    actor,
    auto_approve: wanted,
    run: { agent, delegation },
  }: Pick<RunOptions, "auto_approve"> & {
    readonly actor: Actor | undefined
    readonly run: Pick<RunSnapshot, "agent" | "delegation">
  },
): void => {
  const approval = requestedApproval(wanted)
  if (approval === undefined || approval === "policy" || actor?.identity?.kind !== "token") return
  const names = approval === "all" ? ["*"] : approval
  // Sub-agents of every profile inherit the approval.
  const profile = delegation === "none" ? agent : "*"
  requireMay(loaded, actor, { what: "auto_approve", calls: names.map((name) => ({ name, profile })) })
}
