import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { detectSandbox } from "../../../../tools/sandbox/detect-sandbox.ts"
import { createWorkspace } from "../workspace.ts"

const linux = process.platform === "linux"

const createProgram = (script: string): string => {
  const path = join(createWorkspace().root, "bwrap")
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test("off is none, and says so", async () => {
  expect(await detectSandbox("off")).toMatchObject({
    kind: "none",
    confined: false,
    reason: expect.stringContaining("switched off"),
  })
})

test.runIf(linux)("auto falls back with a reason where the program is missing; require refuses", async () => {
  const options = { programs: ["/does/not/exist"] }
  expect(await detectSandbox("auto", options)).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("not installed"),
  })
  await expect(detectSandbox("require", options)).rejects.toMatchObject({ code: "sandbox_unavailable" })
})

test.runIf(linux)("a program that does not work gives its own words as the reason", async () => {
  const programs = [createProgram("echo 'bwrap: No permissions to create new namespace' >&2; exit 1")]
  const sandbox = await detectSandbox("auto", { programs })
  expect(sandbox.reason).toBe("bubblewrap does not work here: bwrap: No permissions to create new namespace")
})

test.runIf(linux)("a program that hangs is given up", async () => {
  const options = {
    programs: [createProgram("exec sleep 300")],
    trialTimeoutMs: 100,
    limits: { graceMs: 50, maxOutputFileBytes: 1_000, backgroundStartMs: 10 },
  }
  expect((await detectSandbox("auto", options)).reason).toContain("did not end within 100 ms")
})
