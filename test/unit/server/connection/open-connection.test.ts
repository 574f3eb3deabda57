import { isGrpcServiceError } from "@temporalio/client"
import { expect, it } from "vitest"
import { openConnection } from "../../../../server/connection/open-connection.ts"
import { startUnavailableServer } from "../../../helpers/engine/unavailable-server.ts"

it("a call that is retried when its connection closes fails, and does not end the process", async () => {
  const server = await startUnavailableServer()
  const connection = await openConnection({ address: server.address, metadata: { token: "secret" } })
  const failed = connection.workflowService.describeNamespace({ namespace: "default" }).catch((error: unknown) => error)
  await server.asked
  await connection.close()
  const error = await failed
  expect(error).toMatchObject({ message: expect.stringContaining("the connection to Temporal was closed") })
  if (!isGrpcServiceError(error)) throw new Error("the call failed in another way")
  expect(error.metadata.getMap()).toEqual({})
})

it("a call on a connection that is closed is refused", async () => {
  const server = await startUnavailableServer()
  const connection = await openConnection({ address: server.address })
  await connection.close()
  await expect(connection.workflowService.describeNamespace({ namespace: "default" })).rejects.toThrow("shut down")
})
