import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { examinePrograms } from "../../../../cli/doctor/examine-programs.ts"
import { openSessionHost } from "../../../../cli/host/open-session-host.ts"
import { openServiceHost } from "../../../../cli/host/open-service-host.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import { loadConfig } from "../../../../config/load-config.ts"
import { defaultRunProblem } from "../../../../sessions/settings/default-run-problem.ts"
import { defaultDataDir } from "../../../../config/data-dir/state-folder.ts"
import { resolveRun } from "../../../../sessions/settings/resolve-run.ts"
import { requireTreeKeys } from "../../../../sessions/settings/require-tree-keys.ts"
import { openStore } from "../../../../store/open-store.ts"
import { newSession, openTestStore } from "../../store/store-fixture.ts"
import { stubEnvironment } from "../stub-environment.ts"

let cwd: string
let env: Record<string, string>
beforeEach(async () => {
  cwd = await mkdtemp(path.join(os.tmpdir(), "adjutant-start-"))
  env = { HOME: cwd, PATH: "", ADJUTANT_TRUST: "1" }
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const configure = (text: string) => writeFile(path.join(cwd, "adjutant.config.yaml"), text)

test.each([
  [["run", "do it"], "no model named main is configured: set ANTHROPIC_API_KEY"],
  [["run", "do it", "--model", "claude-opus-5-5"], "requires a key: set ANTHROPIC_API_KEY"],
  [["run", "do it", "--agent", "nobody"], "there is no agent nobody"],
] as const)("%j is refused before a server or a store is created", async (argv, problem) => {
  const { environment, written } = stubEnvironment({ cwd, env })
  const exitCode = await runCli(argv, { ...environment, openTasks: openServiceHost })
  expect(written.stderr).toContain(problem)
  expect(exitCode).toBe(2)
  const dataDir = await defaultDataDir(await realpath(cwd), env)
  expect((await readdir(dataDir)).toSorted()).toEqual([".gitignore", "project.json"])
})

test("what is configured decides whether a run can start", async () => {
  const loadWith = (variables: Readonly<Record<string, string>>) => loadConfig({ cwd, env: { ...env, ...variables } })
  expect(defaultRunProblem(await loadWith({}), env)).toContain("no model named main is configured")
  await configure("models: { main: { provider: anthropic, model: claude-opus-5-5, apiKeyEnv: TEAM_KEY } }\n")
  const openai = { ...env, OPENAI_API_KEY: "k" }
  expect(defaultRunProblem(await loadWith(openai), openai)).toContain("set TEAM_KEY")
  await configure("models: { main: { provider: scripted, script: demo.yaml } }\n")
  expect(defaultRunProblem(await loadWith({}), env)).toBeUndefined()
})

test("programs that the configuration names and the machine does not have are a finding", async () => {
  const bin = path.join(cwd, "here.sh")
  await writeFile(bin, "#!/bin/sh\n", { mode: 0o755 })
  await configure("mcpServers: { docs: { command: no-such-program }, own: { command: ./here.sh } }\n")
  const load = () => loadConfig({ cwd, env })
  expect(examinePrograms(await load(), env)).toMatchObject([
    { status: "warn", detail: "mcpServers.docs.command: no-such-program is not on PATH" },
  ])
  await configure("mcpServers: { own: { command: ./here.sh } }\n")
  expect(examinePrograms(await load(), env)).toMatchObject([{ status: "ok", detail: `found: ${bin}` }])
  await configure("agents: { count: { type: binary, command: ./gone.sh } }\n")
  expect(examinePrograms(await load(), env)).toMatchObject([
    { status: "warn", detail: expect.stringMatching(/gone\.sh is not an executable file.*allowBinaryAgents is off/) },
  ])
  await configure("{}\n")
  expect(examinePrograms(await load(), env)).toEqual([])
})

test("the work of a tree is not taken without the keys of its open runs", async () => {
  const keyed = { ...env, ANTHROPIC_API_KEY: "k" }
  const loaded = await loadConfig({ cwd, env: keyed })
  const snapshot = await resolveRun(loaded, { prompt: "do it", cwd }, keyed)
  const store = await openTestStore()
  await store.sessions.create(newSession("s1", { model: snapshot.model }))
  await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: await store.snapshots.put(snapshot) })
  await store.sessions.patch("s1", { runId: "r1", status: "paused" })
  await expect(requireTreeKeys(store, "s1", env)).rejects.toMatchObject({
    code: "key_missing",
    message: expect.stringContaining("set ANTHROPIC_API_KEY and run the command again"),
  })
  await expect(requireTreeKeys(store, "s1", keyed)).resolves.toBeUndefined()
  await store.sessions.patch("s1", { status: "completed" })
  await expect(requireTreeKeys(store, "s1", env)).resolves.toBeUndefined()
})

test.each([
  ["dismiss", /there is no delivery notes: run "adjutant deliveries --data-dir .*" to see them/],
  ["retry", /there is no delivery and no session notes.*: run "adjutant list --data-dir .*" to see the sessions/],
])("%s says that no delivery has this id, and starts nothing", async (command, problem) => {
  const dataDir = path.join(cwd, "data")
  await (await openStore({ url: "sqlite:", dataDir })).close()
  const { environment, written } = stubEnvironment({ cwd, env })
  const argv = [command, "notes", "--data-dir", dataDir]
  expect(await runCli(argv, { ...environment, openHost: openSessionHost })).toBe(2)
  expect(written.stderr).toMatch(problem)
})
