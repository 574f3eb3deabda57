import { describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import { unknownAgents } from "../../../../sessions/profiles/unknown-agents.ts"
import { actor } from "../../client/client-fixture.ts"
import { openSettings } from "../settings/settings-rig.ts"

const config: ConfigInput = {
  agents: { lead: { delegation: "sessions", subagents: { allowAgents: ["editor", "explroe"] } } },
  profiles: { source: "store" },
  subagents: { allowAgents: ["editor", "general", "*"] },
}
const hint = "until it is created, no sub-agent can run as it"

const open = async (given: ConfigInput) => {
  const { client, store, loaded } = await openSettings(given, {})
  const warnings: string[] = []
  const logger = { warn: (_details: object, message: string) => void warnings.push(message) }
  return { client, warnings, unknown: () => unknownAgents({ loaded, store, logger }) }
}

describe("names in allowAgents that no profile has", () => {
  it("are found with the profiles of the store, each with its place", async () => {
    const { client, unknown } = await open(config)
    expect(await unknown()).toEqual([
      `subagents.allowAgents.0: there is no profile editor; ${hint}`,
      `agents.lead.subagents.allowAgents.0: there is no profile editor; ${hint}`,
      `agents.lead.subagents.allowAgents.1: there is no profile explroe (did you mean explore?); ${hint}`,
    ])
    await client.profiles.create({ name: "editor", profile: { prompt: "You edit." } }, actor)
    expect(await unknown()).toHaveLength(1)
  })

  it("are found in profiles of the store whose sub-agents were deleted", async () => {
    const { client, unknown } = await open({ ...config, agents: {} })
    await client.profiles.create({ name: "editor", profile: { prompt: "You edit." } }, actor)
    const chief = { prompt: "You lead.", delegation: "sessions", subagents: { allowAgents: ["editor"] } }
    await client.profiles.create({ name: "chief", profile: chief }, actor)
    expect(await unknown()).toEqual([])
    await client.profiles.delete({ name: "editor" }, actor)
    expect(await unknown()).toContain(
      `profile chief in the store: subagents.allowAgents.0: there is no profile editor; ${hint}`,
    )
  })

  it("are left to the check of the configuration if it has all profiles", async () => {
    const { unknown } = await open({ ...config, profiles: { source: "config" } })
    expect(await unknown()).toEqual([])
  })
})
