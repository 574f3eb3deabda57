import { chmodSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { expect, test } from "vitest"
import { configSchema } from "../../../contracts/config/config.ts"
import { defaultResourceLimits } from "../../../tools/sandbox/process/resource-limits.ts"
import { createSandboxes } from "../../../worker/create-sandboxes.ts"
import { sandboxSettingsOf } from "../../../worker/detect-sandbox.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { createWorkspace } from "../tools/workspace.ts"

const createLog = () => {
  const lines: string[] = []
  return { lines, logger: pino({ level: "warn" }, { write: (line: string) => void lines.push(line) }) }
}

const settings = sandboxSettingsOf(
  configSchema.parse({ security: { sandboxBackends: ["bubblewrap"], allowedDomains: ["example.org"] } }),
  { env: {} },
)

test("the configured backends and hosts decide what the worker uses", async () => {
  expect(settings).toEqual({
    backends: ["bubblewrap"],
    allowedDomains: ["example.org"],
    resources: defaultResourceLimits,
    view: { env: {}, read: [], write: [], toolchains: true },
  })
  const { sandboxFor, close } = createSandboxes({ logger: createLog().logger, settings, dataDir: tmpdir() })
  expect((await sandboxFor("auto")).reason).toMatch(/security\.sandbox\.network|needs Linux/)
  await expect(sandboxFor("require")).rejects.toMatchObject({ code: "sandbox_unavailable" })
  await close()
})

test("each sandbox is tried once, and a missing sandbox is warned about once", async () => {
  const { lines, logger } = createLog()
  const { sandboxFor, close } = createSandboxes({ logger, settings, dataDir: tmpdir() })
  expect(await sandboxFor("auto")).toBe(await sandboxFor("auto"))
  await sandboxFor("auto", 10)
  expect((await sandboxFor("off")).reason).toContain("switched off")
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain("no sandbox works here")
  await close()
})

test.runIf(process.platform === "linux")(
  "a sandbox that does not work is not used, and is tried again later",
  async () => {
    const { root } = createWorkspace()
    const [program, works] = [join(root, "bwrap"), join(root, "works")]
    writeFileSync(program, `#!/bin/sh\n[ -e ${works} ] && echo confined\n`)
    chmodSync(program, 0o755)
    const failing = { ...settings, allowedDomains: [], programs: [program] }
    const { logger } = createLog()
    const { sandboxFor, close } = createSandboxes({ logger, settings: failing, dataDir: root, retryMs: 20 })
    expect(await sandboxFor("auto")).toMatchObject({
      confined: false,
      reason: expect.stringContaining("bubblewrap does not work here"),
    })
    await expect(sandboxFor("require")).rejects.toMatchObject({ code: "sandbox_unavailable" })
    writeFileSync(works, "")
    await untilPasses(async () => expect(await sandboxFor("auto")).toMatchObject({ confined: true }))
    expect(await sandboxFor("require")).toMatchObject({ confined: true })
    await close()
  },
)
