import { z } from "zod"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { argumentProblem } from "../contracts/argument-problem.ts"
import { actorKindSchema } from "../contracts/http/audit.ts"
import { isRecord } from "../domain/text/is-record.ts"

const actorSchema = z.object({
  by: z.string(),
  via: z.string(),
  kind: actorKindSchema.optional(),
  authority: z
    .object({
      approval: z.union([z.enum(["all", "policy"]), z.array(z.string())]),
      directories: z.union([z.literal("any"), z.array(z.string())]),
    })
    .optional(),
  traceparent: z.string().optional(),
  identity: z.object({ kind: z.string(), id: z.string() }).optional(),
})

const requiredActor = z.object({ actor: actorSchema })
const optionalActor = z.object({ actor: actorSchema.optional() })

const requireActor = (actor: unknown, schema: z.ZodType = requiredActor): void => {
  const { error } = schema.safeParse({ actor })
  if (error !== undefined)
    throw new AdjutantError(
      "invalid_argument",
      `${argumentProblem(error)}; an actor says who acts, for example { by: "release-bot", via: "library" }`,
    )
}

/** Throws if the arguments of a method contain no actor. */
type ActorCheck = (args: readonly unknown[]) => void
interface ActorChecks {
  readonly [method: string]: ActorCheck | ActorChecks
}

const fieldOf = (request: unknown): unknown => (isRecord(request) ? request["actor"] : undefined)
const argument =
  (index: number): ActorCheck =>
  (args) =>
    requireActor(args[index])
const inRequest: ActorCheck = ([request]) => requireActor(fieldOf(request))

/** Where each method that takes an actor has it. */
const checks: ActorChecks = {
  // Without an actor, the user of this process starts it.
  start: ([request]) => requireActor(fieldOf(request), optionalActor),
  ...{ create: inRequest, startTask: inRequest, fork: inRequest, spawn: inRequest, takeOver: inRequest },
  ...{ send: inRequest, decide: inRequest, grant: inRequest, stopAll: argument(0) },
  ...{ cancel: argument(1), delete: argument(1), retry: argument(1), prune: argument(1), reconcile: argument(1) },
  ...{ withdraw: argument(2), revokeGrant: argument(2), setModel: argument(2) },
  profiles: { create: argument(1), update: argument(1), delete: argument(1) },
  deliveries: { retry: argument(1), dismiss: argument(1) },
  channels: { focus: inRequest, unfocus: argument(1), setExpiry: argument(1) },
  engine: { move: argument(0) },
  schedules: { add: inRequest, change: ([, request]) => requireActor(fieldOf(request)), delete: argument(1) },
}

const checkedEntry = (method: unknown, check: ActorCheck | ActorChecks): unknown => {
  if (typeof check !== "function") return isRecord(method) ? withChecks(method, check) : method
  if (typeof method !== "function") return method
  return async (...args: readonly unknown[]): Promise<unknown> => {
    check(args)
    return await Reflect.apply(method, undefined, args)
  }
}

const withChecks = <Methods extends object>(methods: Methods, wanted: ActorChecks): Methods => ({
  ...methods,
  ...Object.fromEntries(
    Object.entries(methods).flatMap(([name, method]): [string, unknown][] => {
      const check = Object.hasOwn(wanted, name) ? wanted[name] : undefined
      return check === undefined ? [] : [[name, checkedEntry(method, check)]]
    }),
  ),
})

/** Returns the client, whose methods reject with `invalid_argument` if they need to know who acts, and are not told. */
export const withActorChecks = <Client extends object>(client: Client): Client => withChecks(client, checks)
