import type { FastifyRequest } from "fastify"
import type { AdjutantClient } from "../client/create-client.ts"
import { httpCallerId } from "../domain/caller/caller-id.ts"
import type { RemoteActor } from "../sessions/actor.ts"
import type { HttpContext } from "./http-options.ts"

/** A request over a connection that proves that the user of this process sent it: a command of this machine. */
export interface LocalCall {
  readonly actor: RemoteActor
  /** The tree that it starts or resumes, and the client with the configuration and the variables of the command. */
  readonly tree?: { readonly rootId: string; readonly client: AdjutantClient }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null for every request that came over the network. */
    local: LocalCall | null
  }
}

/** Returns the client that resolves the runs of a request. */
export const clientOf = ({ local }: FastifyRequest, { client }: Pick<HttpContext, "client">): AdjutantClient =>
  local?.tree?.client ?? client

/** Returns to whom the sessions of a request belong: to its token, or to the user of this machine, who is no caller. */
export const ownerOf = ({ caller, local }: FastifyRequest): { readonly caller?: string } =>
  caller === null || local !== null ? {} : { caller: httpCallerId(caller.name) }
