import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { diagnose, type DiagnoseOptions } from "../../../../server/diagnose/diagnose.ts"

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-doctor-"))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const examine = async (options: Partial<DiagnoseOptions> = {}) => {
  const findings = await diagnose({
    dataDir,
    env: { HOME: dataDir, PATH: "" },
    detectSandbox: () => ({ kind: "bubblewrap", confined: true }),
    ...options,
  })
  return { findings, of: (name: string) => findings.find((finding) => finding.name === name) }
}

test("diagnose runs every check and leaves nothing behind", async () => {
  const { findings } = await examine()
  expect(findings.map(({ name }) => name)).toEqual([
    "node",
    "temporal",
    "server",
    "sandbox",
    "keys",
    "data directory",
    "disk space",
  ])
  expect(readdirSync(dataDir)).toEqual([])
})

test("diagnose names keys and never shows them", async () => {
  const env = { HOME: dataDir, PATH: "", ANTHROPIC_API_KEY: "sesame", ADJUTANT_API_TOKEN: "sesame" }
  const { findings, of } = await examine({ env })
  expect(of("keys")).toEqual({ name: "keys", status: "ok", detail: "set: ANTHROPIC_API_KEY, ADJUTANT_API_TOKEN" })
  expect(JSON.stringify(findings)).not.toContain("sesame")
})

test("a key that the configuration names and the environment does not have is a warning", async () => {
  const { of } = await examine({ env: { HOME: dataDir, OPENAI_API_KEY: "k" }, keyNames: ["TEAM_KEY"] })
  expect(of("keys")).toMatchObject({
    status: "warn",
    detail: "not set, although the configuration refers to them: TEAM_KEY",
  })
})

test("keys that the configured models do not need are not missed", async () => {
  const { of } = await examine({ keyNames: [] })
  expect(of("keys")).toEqual({ name: "keys", status: "ok", detail: "none is needed by the configured models" })
})

test("the reason why a run without a model is refused is a warning, whatever other keys are set", async () => {
  const modelProblem = "model main (anthropic claude-opus-5-5) requires a key: set ANTHROPIC_API_KEY"
  const { of } = await examine({ env: { HOME: dataDir, OPENAI_API_KEY: "k" }, modelProblem })
  expect(of("keys")).toMatchObject({ status: "warn", detail: modelProblem })
})

test("a sandbox that the configuration switches off is neither tried nor a problem", async () => {
  const detectSandbox = () => Promise.reject(new Error("tried"))
  const { of } = await examine({ detectSandbox, isSandboxOff: true })
  expect(of("sandbox")).toMatchObject({ status: "ok", detail: expect.stringContaining("security.sandbox") })
})

test("a missing sandbox is a warning with its reason", async () => {
  const { of } = await examine({ detectSandbox: () => ({ kind: "none", confined: false, reason: "bwrap not found" }) })
  expect(of("sandbox")).toMatchObject({ status: "warn", detail: expect.stringContaining("bwrap not found") })
})

test("a missing sandbox is a failure if a sandbox is required", async () => {
  const detectSandbox = () => ({ kind: "none", confined: false, reason: "bwrap not found" })
  const { of } = await examine({ detectSandbox, sandboxRequired: true })
  expect(of("sandbox")).toMatchObject({ status: "fail", detail: "commands of agents are refused: bwrap not found" })
})

test("every backend is reported, including unused ones", async () => {
  const others = ["sandbox-runtime works, too", "docker is not installed"]
  const { of } = await examine({ detectSandbox: () => ({ kind: "bubblewrap", confined: true, others }) })
  expect(of("sandbox")).toEqual({
    name: "sandbox",
    status: "ok",
    detail: "bubblewrap; sandbox-runtime works, too; docker is not installed",
  })
})

test("a check that throws is a finding, not an exception", async () => {
  const { of } = await examine({ detectSandbox: () => Promise.reject(new Error("broken")) })
  expect(of("sandbox")).toEqual({ name: "sandbox", status: "fail", detail: "broken" })
})

test("a data directory that other users can read is a warning", async () => {
  chmodSync(dataDir, 0o755)
  expect((await examine()).of("data directory")).toMatchObject({ status: "warn", hint: `chmod 700 ${dataDir}` })
})

test("a data directory that cannot be written is a failure", async () => {
  const { of } = await examine({ dataDir: join(dataDir, "missing") })
  expect(of("data directory")).toMatchObject({ status: "fail" })
  expect(of("disk space")).toMatchObject({ status: "fail" })
})

test("an external server that does not answer is a failure that names it", async () => {
  const { of } = await examine({ env: { HOME: dataDir, TEMPORAL_ADDRESS: "127.0.0.1:1" }, connectTimeoutMs: 100 })
  expect(of("temporal")).toMatchObject({ status: "ok", detail: "external at 127.0.0.1:1, namespace default" })
  expect(of("server")).toMatchObject({ status: "fail", detail: expect.stringContaining("127.0.0.1:1 did not answer") })
})

test("without a Temporal program the report says how to get one", async () => {
  const { of } = await examine()
  expect(of("temporal")).toMatchObject({ status: "warn", hint: expect.stringContaining("TEMPORAL_ADDRESS") })
  expect(of("server")).toMatchObject({ status: "ok", detail: expect.stringContaining("not running") })
})
