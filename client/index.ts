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
export { AdjutantError, isAdjutantError } from "../contracts/adjutant-error.ts"
