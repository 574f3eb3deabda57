import { tmpdir } from "node:os"
import { expect, test, vi } from "vitest"
import { resolveWhereConfined } from "../../../../service/host/resolve-where-confined.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { configSchema } from "../../../../contracts/config/config.ts"

const env = { ANTHROPIC_API_KEY: "key" }
const config = configSchema.parse({})
const cwd = tmpdir()
const loaded = {
  config,
  configPath: null,
  projectRoot: cwd,
  dataDir: `${cwd}/.adjutant`,
  ...modelSpecs({ config, env, projectRoot: cwd }),
}

const request = (sandbox: boolean) => ({ prompt: "do it", cwd, sandbox })

test("a run that needs a sandbox is rejected with the reason if no sandbox works", async () => {
  const requireSandbox = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(new AdjutantError("sandbox_unavailable", "bubblewrap is not installed"))
    .mockResolvedValue()
  const resolve = resolveWhereConfined(requireSandbox)
  await expect(resolve(loaded, request(true), env)).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: "bubblewrap is not installed",
  })
  // Installed meanwhile; a sandbox that has worked once is not tried again.
  expect(await resolve(loaded, request(true), env)).toMatchObject({ sandboxed: true })
  expect(await resolve(loaded, request(true), env)).toMatchObject({ sandboxed: true })
  expect(requireSandbox).toHaveBeenCalledTimes(2)
})

test.each([
  ["by name", { allowed_tools: ["Bash"] }],
  ["over HTTP", { actor: { by: "ci", via: "http" } }],
])(
  "a run that asks nobody and was given Bash %s is refused where no sandbox works, with the ways out",
  async (_, fields) => {
    const requireSandbox = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("bubblewrap is not installed"))
    const resolve = resolveWhereConfined(requireSandbox, false)
    const asked = { prompt: "do it", cwd, auto_approve: true, ...fields }
    await expect(resolve(loaded, asked, env)).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringMatching(/bubblewrap is not installed.*--unconfined.*security\.sandbox/),
    })
    expect(await resolve(loaded, { ...asked, sandbox: "off" }, env)).toMatchObject({ unconfined: true })
    expect(await resolve(loaded, { ...asked, auto_approve: false }, env)).toMatchObject({ approval: "policy" })
  },
)

test("other runs start without asking for a sandbox", async () => {
  const requireSandbox = vi.fn<() => Promise<void>>()
  expect(await resolveWhereConfined(requireSandbox)(loaded, request(false), env)).toMatchObject({ sandboxed: false })
  expect(requireSandbox).not.toHaveBeenCalled()
})
