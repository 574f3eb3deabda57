import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { detectSandbox, surveySandboxes } from "../../../../tools/sandbox/detect-sandbox.ts"
import type { DetectOptions } from "../../../../tools/sandbox/detect-sandbox.ts"
import { createWorkspace } from "../workspace.ts"
import { testWith } from "../../../helpers/needs.ts"
import { backendsUnderTest, isRoot } from "./backends.ts"
import { testLimits } from "./command.ts"

const linux = process.platform === "linux"

const working = (await backendsUnderTest()).find(({ name }) => name === "sandbox-runtime")

const createProgram = (script: string): string => {
  const path = join(createWorkspace().root, "bwrap")
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test('sandbox "off" means no sandbox, and the notice says so', async () => {
  expect(await detectSandbox("off")).toMatchObject({
    kind: "none",
    confined: false,
    reason: expect.stringContaining("switched off"),
  })
})

test.runIf(linux)('"auto" falls back with a reason if the program is missing; "require" fails', async () => {
  const options = { programs: ["/does/not/exist"] }
  expect(await detectSandbox("auto", options)).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("not installed"),
  })
  await expect(detectSandbox("require", options)).rejects.toMatchObject({ code: "sandbox_unavailable" })
})

test.runIf(linux)("the reason for a program that does not work quotes its output", async () => {
  const programs = [createProgram("echo 'bwrap: No permissions to create new namespace' >&2; exit 1")]
  const sandbox = await detectSandbox("auto", { programs })
  expect(sandbox.reason).toBe(
    "bubblewrap does not work here: bwrap: No permissions to create new namespace (exit code 1)",
  )
})

test.runIf(linux).each([
  ["exit 3", "exit code 3"],
  ["echo confined; exit 3", "exit code 3"],
  ["echo confined; echo 'warning: slow disk'", 'the trial wrote "warning: slow disk"'],
  ["exit 0", "the trial wrote nothing"],
  ["kill -KILL $$", "the trial was ended by SIGKILL"],
])("the reason for a trial that runs %s is: %s", async (script, reason) => {
  const sandbox = await detectSandbox("auto", { programs: [createProgram(script)], limits: testLimits })
  expect(sandbox).toMatchObject({ confined: false, reason: `bubblewrap does not work here: ${reason}` })
})

test.runIf(linux)("a program whose first trials fail is tried again", async () => {
  const counter = join(createWorkspace().root, "trials")
  const script = `echo x >> ${counter}; [ $(wc -l < ${counter}) -gt 2 ] || exit 1; echo confined`
  expect(await detectSandbox("auto", { programs: [createProgram(script)] })).toMatchObject({ confined: true })
})

test.runIf(linux)("detection gives up on a program that hangs", async () => {
  const options = {
    programs: [createProgram("exec sleep 300")],
    trialTimeoutMs: 300,
    limits: testLimits,
  }
  expect((await detectSandbox("auto", options)).reason).toContain("did not end within 300 ms")
})

test.runIf(linux)("backends are tried in order, and each failure is reported with its reason", async () => {
  const both = { backends: ["bubblewrap", "sandbox-runtime"], programs: ["/does/not/exist"] } as const
  const { reason = "" } = await detectSandbox("auto", both)
  expect(reason).toBe(
    "bubblewrap is not installed (the program bwrap, package bubblewrap); " +
      "sandbox-runtime needs bubblewrap, which is not installed (the program bwrap, package bubblewrap)",
  )
  await expect(detectSandbox("require", both)).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringContaining(reason),
  })
  expect(await surveySandboxes("auto", both)).toEqual({ kind: "none", confined: false, reason, others: [] })
  expect(await surveySandboxes("off", both)).toMatchObject({ kind: "none", reason: expect.stringContaining("off") })
  expect((await detectSandbox("auto", { ...both, backends: ["sandbox-runtime", "bubblewrap"] })).reason).toMatch(
    /^sandbox-runtime .*; bubblewrap /,
  )
})

testWith(
  [{ name: "bubblewrap", isAvailable: working !== undefined }],
  "the first backend that works is used, whatever is listed before it",
  async () => {
    const backends = ["sandbox-runtime", "bubblewrap"] as const
    const options = { backends, allowedDomains: [], relayPrograms: [], limits: testLimits }
    const sandbox = await detectSandbox("require", options)
    onTestFinished(() => sandbox.close?.())
    // A root worker could change the kernel's settings from inside the runtime.
    expect(sandbox.kind).toBe(isRoot ? "bubblewrap" : "sandbox-runtime")
    expect(sandbox.confined).toBe(true)
    const survey = await surveySandboxes("auto", options)
    expect(survey).toMatchObject({ kind: sandbox.kind, confined: true })
    expect(survey.others.map((text) => text.replace(/^.*; /, ""))).toEqual([
      isRoot ? "run the worker as another user" : "bubblewrap works, too",
    ])
  },
)

test.runIf(linux)("detection reports what the runtime lacks for its proxies", async () => {
  const programs = [createProgram("exit 1")]
  const options = {
    backends: ["sandbox-runtime"],
    programs,
    relayPrograms: [],
    allowedDomains: ["example.org"],
  } as const
  expect((await detectSandbox("auto", options)).reason).toBe(
    "sandbox-runtime needs socat for security.sandbox.network, which is not installed (package socat)",
  )
})

test.runIf(linux)("detection quotes the output of a bubblewrap that does not work inside the runtime", async () => {
  const programs = [createProgram("echo 'bwrap: No permissions to create new namespace' >&2; exit 1")]
  const { reason } = await detectSandbox("auto", { backends: ["sandbox-runtime"], programs, limits: testLimits })
  expect(reason).toBe("sandbox-runtime does not work here: bwrap: No permissions to create new namespace (exit code 1)")
})

test("docker is tried like the others, and detection reports what it lacks", async () => {
  const reasonOf = async (options: DetectOptions) =>
    (await detectSandbox("auto", { backends: ["docker"], ...options })).reason
  expect(await reasonOf({})).toBe("docker needs an image (security.dockerImage)")
  const docker = { dockerImage: "node:24", dockerProgram: "/does/not/exist" }
  expect(await reasonOf({ ...docker, allowedDomains: ["example.org"] })).toBe(
    "docker cannot allow single hosts (security.sandbox.network)",
  )
  expect(await reasonOf(docker)).toBe("docker is not installed (the program docker)")
  const silent = createProgram("echo 'docker: the engine is away.' >&2; exit 1")
  expect(await reasonOf({ ...docker, dockerProgram: silent })).toContain("the engine is away")
  await expect(detectSandbox("require", { backends: ["docker"], ...docker })).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringContaining("docker is not installed"),
  })
})
