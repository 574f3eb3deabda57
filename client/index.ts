export type {
  Actor,
  AdjutantClient,
  Approval,
  CreateSessionRequest,
  DecideRequest,
  Delivery,
  ForkRequest,
  IssuedLink,
  LinkDecision,
  OpenedLink,
  Page,
  PendingCalls,
  RemoteActor,
  SendRequest,
  Sent,
  SessionTree,
  Started,
  StartRequest,
} from "./adjutant-client.ts"
export type { ClientLogger, Environment } from "./client-context.ts"
export type { ClientTiming } from "./client-timing.ts"
export { type ClientOptions, createClient } from "./create-client.ts"
export type { TemporalClient } from "./temporal-client.ts"
export { connect, type ConnectOptions } from "./connect.ts"
export type { Authority } from "../domain/caller/authority.ts"
export { AdjutantError, isAdjutantError } from "../contracts/adjutant-error.ts"
