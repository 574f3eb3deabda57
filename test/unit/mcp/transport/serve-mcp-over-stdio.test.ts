import { PassThrough } from "node:stream"
import { expect, it, onTestFinished } from "vitest"
import { openedEngine } from "../../../../mcp/engine/engine-access.ts"
import { serveMcpOverStdio } from "../../../../mcp/transport/serve-mcp-over-stdio.ts"
import { clientFixture, loaded } from "../../client/client-fixture.ts"

// A message of more than 10 MiB made the SDK close its end while the process waited for an end of the input: the client
// could neither write nor read any more, and no process ended.

const served = async () => {
  const { client, store } = await clientFixture()
  const input = new PassThrough()
  const errors: string[] = []
  const service = serveMcpOverStdio(
    {
      engine: openedEngine({ client, store }),
      loaded,
      toolsets: ["tasks"],
      noApprove: false,
      caller: "test",
      logger: { error: (detail) => void errors.push(String(detail["err"])) },
    },
    { input, write: () => undefined },
  )
  onTestFinished(() => service.close())
  return { input, errors, ended: service.ended }
}

it("ends when the client closes its end", async () => {
  const { input, errors, ended } = await served()
  input.end()
  await ended
  expect(errors).toEqual([])
})

it("ends after a message that is too large, and says so", async () => {
  const { input, errors, ended } = await served()
  input.write("x".repeat(11 * 1_048_576))
  await ended
  expect(errors).toEqual([expect.stringContaining("exceeded maximum size of 10485760 bytes")])
})
