import { expect, it } from "vitest"
import { openSettings } from "../settings/settings-rig.ts"
import { startDetail } from "../../../../sessions/audit/start-detail.ts"

const tools = ["Read", "Bash"]

it("names the tools whose calls nobody decides", () => {
  expect(startDetail({ approval: "all", tools })).toEqual({ approval: "all", waived: tools })
  expect(startDetail({ approval: ["Bash"], tools })).toEqual({ approval: ["Bash"] })
  expect(startDetail({ approval: "policy", tools })).toEqual({ approval: "policy" })
})

it("says that commands may run without a sandbox", () => {
  expect(startDetail({ approval: "all", tools, unconfined: true })).toMatchObject({ unconfined: true, waived: tools })
})

it("the audit says so of the start and of each later run", async () => {
  const rig = await openSettings({ models: { main: { provider: "scripted", script: "demo.yaml" } } }, {})
  const sessionId = await rig.start({ auto_approve: true, sandbox: "off" })
  await rig.finish(sessionId)
  await rig.client.send({ sessionId, text: "Continue.", type: "message", actor: { by: "ana", via: "cli" } })
  const { items } = await rig.client.audit({ sessionId })
  expect(items).toMatchObject([
    { action: "message", by: "ana", detail: { approval: "all", unconfined: true } },
    { action: "start", detail: { approval: "all", unconfined: true } },
  ])
})
