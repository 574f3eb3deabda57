import type { FastifyRequest } from "fastify"
import type { Actor } from "../client/adjutant-client.ts"

/** Who acts, for the audit: the token's name. */
export const actorOf = ({ caller }: FastifyRequest): Actor => ({ by: caller?.name ?? "unknown", via: "http" })
