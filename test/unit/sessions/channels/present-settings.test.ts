import { expect, it } from "vitest"
import { configSchema } from "../../../../contracts/config/config.ts"
import { clientFixture, loaded } from "../../client/client-fixture.ts"

it("answers a thread that is bound already as its channel is configured now", async () => {
  const { outboundUrl, ...channel } = {
    ...{ type: "webhook" as const, outboundUrl: "https://old.example.test/out", secretEnv: "OLD" },
    threadBindings: { spawnSubagentSessions: true },
  }
  const config = configSchema.parse({ channels: { team: { ...channel, outboundUrl } } })
  const { client, store } = await clientFixture({ loaded: { ...loaded, config } })
  const write = (id: string) => client.channels.receive("team", { thread_key: "t1", text: "Hello.", message_id: id })
  await write("m1")
  const outbound = async () => (await store.bindings.ofThread("team", "t1"))?.outbound
  expect(await outbound()).toMatchObject({ url: outboundUrl, secretEnv: "OLD", spawnSubagentSessions: true })
  config.channels = configSchema.parse({
    channels: {
      team: {
        ...{ ...channel, outboundUrl: "https://new.example.test/out", secretEnv: "NEW" },
        threadBindings: { spawnSubagentSessions: false },
      },
    },
  }).channels
  await write("m2")
  expect(await outbound()).toMatchObject({
    ...{ url: "https://new.example.test/out", secretEnv: "NEW", spawnSubagentSessions: false },
  })
})
