import { afterEach, expect, it } from "vitest"
import { outboundWebhookSchema } from "../../../contracts/http/outbound-webhook.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"

// Links in webhooks contained the configured port (7420), whatever port the server listened on: nobody could
// open them.

let harness: HttpHarness

afterEach(() => harness.close())

it("the link in a webhook has the port of the server that listens", async () => {
  const receiver = await startReceiver()
  harness = await openHttpHarness({
    model: createFakeTurns(
      { text: "A file.", calls: [["Write", { file_path: "a.txt", content: "one" }]] },
      { text: "Ok." },
    ),
    env: { HOOK_SECRET: receiverSecret },
    config: { webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET" }] },
  })
  const id = await harness.begin({ message: "Write it." })
  await eventually(() => receiver.effects.length === 1)
  const link = outboundWebhookSchema.parse(receiver.effects[0]?.body).pause?.approve_url ?? ""
  expect(new URL(link).origin).toBe(harness.url)
  const answer = await fetch(link, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ action: "accept" }),
  })
  expect(answer.status).toBe(200)
  await eventually(async () => (await harness.get(`/v1/sessions/${id}`)).body.status === "completed")
})
