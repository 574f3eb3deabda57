import { deliveryWorkflowId, sessionIdOf, sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import type { StoreCall } from "../../helpers/store/away-store.ts"
import type { Play } from "./boundary-kinds.ts"

/** What is written for another workflow contains the id of that session or the key of that delivery. */
const namesAnother = /^(?:sessions\.create|deliveries\.create)$/

const deliveryPrefix = deliveryWorkflowId("")

const idOf = (workflowId: string): string | undefined =>
  workflowId.startsWith(deliveryPrefix) ? workflowId.slice(deliveryPrefix.length) : sessionIdOf(workflowId)

/** Returns which of these sessions made a call: by itself, through its child or through its announcement. Undefined for others, such as those of the lane. */
export const createOwners = (plays: readonly Play[]) => {
  const written = new Map<Play, string[]>()
  return ({ workflowId, method, args }: StoreCall): Play | undefined => {
    const known = plays.filter(({ isKnown }) => isKnown)
    const id = idOf(workflowId)
    const owner =
      known.find((play) => workflowId === sessionWorkflowId(play.id)) ??
      known.find((play) => id !== undefined && written.get(play)?.some((text) => text.includes(id)) === true)
    if (owner !== undefined && namesAnother.test(method)) written.set(owner, [...(written.get(owner) ?? []), args])
    return owner
  }
}
