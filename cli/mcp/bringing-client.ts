import type { AdjutantClient } from "../../client/create-client.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { wasStopped } from "../../service/hold-service.ts"
import type { SessionHost } from "../host/session-host.ts"

/**
 * Returns the client of a host, which brings the service what a tree needs before it starts or resumes the tree, and starts another service if
 * it is gone. One that a person stopped rests until a new command starts it.
 */
export const bringingClient = (
  host: Pick<SessionHost, "client" | "newSessionId" | "handOver" | "loaded">,
): AdjutantClient => {
  const { client, newSessionId, loaded } = host
  const handOver = async (rootId: string | null): Promise<void> => {
    if (wasStopped(loaded.dataDir) && !(await client.hasWorker()))
      throw new AdjutantError(
        "service_stopped",
        `the service of ${loaded.dataDir} was stopped: adjutant service start starts it again`,
      )
    await host.handOver(rootId)
  }
  const bring = async (sessionId: string): Promise<void> => handOver((await client.info(sessionId)).root_session_id)
  return {
    ...client,
    spawn: async (request) => {
      const { sessionId = await newSessionId() } = request
      await handOver(sessionId)
      return await client.spawn({ ...request, sessionId })
    },
    send: async (request) => {
      await bring(request.sessionId)
      return await client.send(request)
    },
    decide: async (request) => {
      await bring(request.sessionId)
      return await client.decide(request)
    },
    cancel: async (...request) => {
      await handOver(null)
      return await client.cancel(...request)
    },
    wait: async (...request) => {
      await handOver(null)
      return await client.wait(...request)
    },
  }
}
