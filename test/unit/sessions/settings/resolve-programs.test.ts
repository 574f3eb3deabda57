import { describe, expect, it } from "vitest"
import { resolvePrograms } from "../../../../sessions/settings/fields/resolve-programs.ts"
import { configSchema } from "../../../../contracts/config/config.ts"

describe("programs in a configuration", () => {
  it("are found relative to its folder, including those of profiles that children may run", () => {
    const config = configSchema.parse({
      agents: { count: { type: "binary", command: "./count.sh" }, list: { type: "binary", command: "ls" } },
      mcpServers: { docs: { command: "./docs.js" } },
    })
    const loaded = {
      config,
      configPath: "/project/adjutant.config.yaml",
      projectRoot: "/project",
      dataDir: "/project/.adjutant",
      models: {},
      knownModels: {},
    }
    const { agents, mcpServers } = resolvePrograms(loaded)
    expect(agents).toMatchObject({ count: { command: "/project/count.sh" }, list: { command: "ls" } })
    expect(mcpServers).toMatchObject({ docs: { command: "/project/docs.js" } })
  })
})
