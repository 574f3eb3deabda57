import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** A namespace of a Temporal server. */
export interface EngineIdentity {
  /** The id that the server assigned to the namespace; null if this client may not describe it. */
  readonly namespaceId: string | null
  readonly namespace: string
  /** The address of the server, for messages. */
  readonly address: string
}

/** The engine that a store belongs to. */
export interface RememberedEngine extends EngineIdentity {
  /** Changes with every claim and move, even to the same engine. */
  readonly claimId: string
  /** ISO 8601. */
  readonly since: string
  /** When the store's reconcile schedule was created there; identifies the engine if namespaces cannot be described. Null until one is found. */
  readonly scheduleCreatedAt: string | null
}

/**
 * Returns true if the engine that was found is the one that the store belongs to. `scheduleCreatedAt` is when the store's reconcile schedule was
 * created in the engine that was found; null if there is none. It is used only if one of the two namespace ids is unknown.
 */
export const isSameEngine = (
  remembered: RememberedEngine,
  found: Pick<EngineIdentity, "namespaceId">,
  scheduleCreatedAt: string | null,
): boolean => {
  if (remembered.namespaceId !== null && found.namespaceId !== null) return remembered.namespaceId === found.namespaceId
  if (scheduleCreatedAt === null) return false
  return remembered.scheduleCreatedAt === null || remembered.scheduleCreatedAt === scheduleCreatedAt
}

export const engineText = ({ namespace, namespaceId, address }: EngineIdentity): string =>
  `namespace "${namespace}" (id ${namespaceId ?? "unknown"}) at ${address}`

const howToContinue =
  'check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE; to move the store to another Temporal server, run "adjutant engine move"'

const engineMismatch = (message: string): AdjutantError => new AdjutantError("engine_mismatch", message)

/** Returns the error for an engine that the store does not belong to. */
export const otherEngine = (remembered: EngineIdentity, found: EngineIdentity): AdjutantError =>
  found.namespaceId === null || remembered.namespaceId === null
    ? engineMismatch(
        `this store belongs to Temporal ${engineText(remembered)}, and ${engineText(found)} cannot be identified as the same: ` +
          `its namespace cannot be described, and it does not have this store's reconcile schedule; allow DescribeNamespace, or ${howToContinue}`,
      )
    : engineMismatch(
        `this store belongs to Temporal ${engineText(remembered)}, but the server found is ${engineText(found)}: ${howToContinue}`,
      )

/** Returns the error for an engine that knows none of the store's sessions, where the store does not remember its engine. */
export const unknownEngine = (found: EngineIdentity, sessions: number): AdjutantError =>
  engineMismatch(
    `none of the ${sessions} sessions that are open in this store or were recently recorded as lost is known to Temporal ${engineText(found)}: ${howToContinue}`,
  )

/** Returns the error for a store that belongs to an engine, where no server is configured and the file of the embedded one, `place`, is missing. */
export const missingEngine = (belongsTo: string, place: string): AdjutantError =>
  engineMismatch(
    `this store ${belongsTo}, but TEMPORAL_ADDRESS is not set and there is no ${place}: set TEMPORAL_ADDRESS, or restore the file; ` +
      'to continue with a new engine, run "adjutant engine move --accept"',
  )
