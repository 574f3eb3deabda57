import { randomUUID } from "node:crypto"
import { Client, Connection } from "@temporalio/client"
import { eventually } from "../eventually.ts"

/** A separate engine on a server: an empty namespace. */
export interface OtherEngine {
  readonly temporal: Client
  readonly namespace: string
  close(): Promise<void>
}

/** Creates a namespace on the server at `address` (host:port). */
export const openOtherEngine = async (address: string): Promise<OtherEngine> => {
  const connection = await Connection.connect({ address })
  const namespace = `other-${randomUUID().slice(0, 8)}`
  const day = { seconds: 86_400, nanos: 0 }
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: day as never })
  const temporal = new Client({ connection, namespace })
  // The server's caches see a new namespace only after a moment.
  await eventually(
    async () => {
      try {
        for await (const _ of temporal.workflow.list({ pageSize: 1 })) break
        return true
      } catch {
        return false
      }
    },
    { timeoutMs: 60_000 },
  )
  return { temporal, namespace, close: () => connection.close() }
}
