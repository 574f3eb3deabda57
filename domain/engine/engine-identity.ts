import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** A namespace of a Temporal server: what executions live in. */
export interface EngineIdentity {
  /** The id that the server gave the namespace when it was made; null where this client may not describe it. */
  readonly namespaceId: string | null
  readonly namespace: string
  /** Where it was reached, for people. */
  readonly address: string
}

/** The engine that a store belongs to. */
export interface RememberedEngine extends EngineIdentity {
  /** Differs after each claim and move, also of the same engine. */
  readonly claimId: string
  /** ISO 8601. */
  readonly since: string
  /** When the store's reconcile schedule was made there: tells the engine where namespaces cannot be described. Null until one was seen. */
  readonly scheduleCreatedAt: string | null
}

/**
 * True where the engine that was found is the one that the store belongs to. `scheduleCreatedAt` is when the store's reconcile schedule was made in
 * the engine that was found; null where there is none. It counts only where one of the two namespace ids is unknown.
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

const wayOut =
  'check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE; if the store moves to another Temporal on purpose, run "adjutant engine move"'

const mismatch = (message: string): AdjutantError => new AdjutantError("engine_mismatch", message)

/** Another engine answers. */
export const otherEngine = (remembered: EngineIdentity, found: EngineIdentity): AdjutantError =>
  found.namespaceId === null || remembered.namespaceId === null
    ? mismatch(
        `this store belongs to Temporal ${engineText(remembered)}, and nothing shows that ${engineText(found)} is the same: ` +
          `its namespace cannot be described, and it does not have this store's reconcile schedule; allow DescribeNamespace, or ${wayOut}`,
      )
    : mismatch(`this store belongs to Temporal ${engineText(remembered)}, but ${engineText(found)} answers: ${wayOut}`)

/** No engine is remembered, and the one that answers knows none of the sessions that the right one must know. */
export const unknownEngine = (found: EngineIdentity, sessions: number): AdjutantError =>
  mismatch(
    `none of the sessions that are open in this store or were recently recorded as lost (${sessions}) is known to Temporal ${engineText(found)}: ${wayOut}`,
  )

/** No server is named, and the data directory has no engine of its own: a new one would be made. `place` is the file that is not there. */
export const missingEngine = (belongsTo: string, place: string): AdjutantError =>
  mismatch(
    `this store ${belongsTo}, but TEMPORAL_ADDRESS is not set and there is no ${place}: set TEMPORAL_ADDRESS, or restore the file; ` +
      'to go on with a new engine, run "adjutant engine move --accept"',
  )
