import { Webhook } from "standardwebhooks"
import { expect, it } from "vitest"
import { comment, github, webhookConfig, webhookEnv } from "../../../helpers/http/signed-webhooks.ts"
import { httpFixture } from "../http-fixture.ts"

const secretOf = (text: string) => `whsec_${Buffer.from(text.repeat(2)).toString("base64")}`

it("a webhook is verified with the present secret only, and an unusable one changes nothing", async () => {
  const env: Record<string, string> = { ...webhookEnv }
  const { ask } = await httpFixture({ env, config: webhookConfig })
  const send = async (secret: string) => {
    const payload = comment("/approve tsk_unknown")
    return (await ask({ method: "POST", url: "/v1/hooks/gh", payload, headers: github(payload, secret) })).body.code
  }
  expect(await send(webhookEnv.GH)).toBe("session_not_found")
  env["GH"] = "another-secret"
  expect(await send(webhookEnv.GH)).toBe("unauthorized")
  expect(await send("another-secret")).toBe("session_not_found")
  env["GH"] = " "
  expect(await send("")).toBe("unauthorized")
  expect(await send("another-secret")).toBe("session_not_found")
})

it("a channel is verified with the present secret only", async () => {
  const [first, second] = [secretOf("first-secret"), secretOf("second-secret")]
  const env: Record<string, string> = { TEAM: first }
  const channels = {
    team: { type: "webhook" as const, outboundUrl: "https://chat.example.test/out", secretEnv: "TEAM" },
  }
  const { ask } = await httpFixture({ env, config: { channels } })
  const send = async (id: string, secret: string) => {
    const payload = JSON.stringify({ thread_key: "t1", text: "Hello.", message_id: id })
    const at = new Date()
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign(id, at, payload),
    }
    return (await ask({ method: "POST", url: "/v1/channels/team", payload, headers })).status
  }
  expect(await send("m1", first)).toBe(202)
  env["TEAM"] = second
  expect(await send("m2", first)).toBe(401)
  expect(await send("m2", second)).toBe(202)
})
