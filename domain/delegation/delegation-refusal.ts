import { advise } from "../advice/advise.ts"
import type { AdjutantError } from "../../contracts/adjutant-error.ts"
import { adviceOn } from "../advice/explain.ts"
import type { Surface } from "../advice/surface.ts"

/** An expected refusal of a delegation call. It becomes a tool result that the model can act on. */
export class DelegationRefusal extends Error {
  readonly code: string
  /** What its reader can do now. */
  readonly next: string | undefined

  constructor(code: string, message: string, next?: string) {
    super(message)
    this.name = "DelegationRefusal"
    this.code = code
    this.next = next
  }
}

/** Returns the refusal of a call that failed as expected. */
export const refusalFor = (error: AdjutantError, code: string, surface: Surface): DelegationRefusal =>
  new DelegationRefusal(code, error.message, adviceOn(error, surface))

/** Returns the refusal of a name that means no sub-agent of the reader. */
export const unknownName = (name: string, surface: Surface): DelegationRefusal =>
  new DelegationRefusal(
    "TASK_NOT_FOUND",
    `no sub-agent of yours is ${name.slice(0, 100)}`,
    advise({ about: "unknown" }, surface),
  )

/** Returns the refusal to steer a sub-agent that has ended. */
export const notRunning = (id: string, surface: Surface): DelegationRefusal =>
  new DelegationRefusal("RESUME_TASK_ERROR", `${id} has no active run`, advise({ about: "ended", taskId: id }, surface))
