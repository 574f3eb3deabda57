import { personOf } from "../people/person.ts"
import { mayDecide } from "../people/right-to-decide.ts"
import type { WorkerPolicy } from "../approval/worker-policy.ts"
import { builtInCallers } from "./caller-id.ts"
import { hasScope } from "./token-rights.ts"

interface GivenGrant {
  readonly tool: string
  /** Who gave it, and by which interface. */
  readonly createdBy: string
  readonly createdVia: string
}

const builtIn: readonly string[] = Object.values(builtInCallers)

/**
 * Returns whether the one who gave a grant may still give it: a token of the configuration, with the scope to approve, of a person who may decide about
 * such calls.
 */
export const mayStillGrant = (
  { tool, createdBy, createdVia }: GivenGrant,
  worker: Pick<WorkerPolicy, "tokens" | "people"> | undefined,
  profile: string,
): boolean => {
  const { tokens = [], people = {} } = worker ?? {}
  if (createdVia !== "http") return true
  const token = tokens.find(({ name }) => name === createdBy)
  const isKnown = builtIn.includes(createdBy) || (token !== undefined && hasScope(new Set(token.scopes), "approve"))
  if (!isKnown) return false
  const person = personOf(people, { kind: "token", id: createdBy })
  return person === undefined || mayDecide(people, person, { name: tool, profile })
}
