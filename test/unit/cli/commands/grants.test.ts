import { describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import type { Grant } from "../../../../contracts/http/grants.ts"
import { stubEnvironment } from "../stub-environment.ts"

const grant: Grant = {
  id: "grant_1",
  session_id: "abc123",
  tool: "Bash",
  arguments: { command: "git status *" },
  state: "active",
  created_by: "mia",
  created_via: "cli",
  created_at: "2026-11-26T09:00:00.000Z",
  expires_at: "2026-11-26T11:00:00.000Z",
  revoked_at: null,
  revoked_by: null,
}
const client = {
  grant: async () => grant,
  grants: async () => ({ items: [grant], next_cursor: null }),
  revokeGrant: async () => grant,
}

const run = async (...argv: readonly string[]) => {
  const stub = stubEnvironment({ client })
  return { exitCode: await runCli(argv, stub.environment), ...stub }
}

describe("adjutant grant, grants and revoke", () => {
  it("grant passes each pattern and the time on, and prints the grant", async () => {
    const args = ["--arg", "command=git status *", "--arg", "run_in_background=a=b", "--expires", "2h"]
    const { exitCode, argumentOf, written } = await run("grant", "notes", "Bash", ...args)
    expect(exitCode).toBe(0)
    expect(argumentOf("grant")).toMatchObject({
      sessionId: "abc123",
      tool: "Bash",
      patterns: { command: "git status *", run_in_background: "a=b" },
      expiresInSeconds: 7_200,
      actor: { via: "cli" },
    })
    expect(written.stdout).toContain("grant_1: Bash command=git status *, active")
  })

  it("grant refuses a pattern without a name, a repeated name and a duration that is not one", async () => {
    for (const flags of [
      ["--arg", "git"],
      ["--arg", "a=b", "--arg", "a=c"],
      ["--expires", "soon"],
    ])
      expect((await run("grant", "notes", "Bash", ...flags)).exitCode).toBe(2)
  })

  it("grants lists them, and revoke names one", async () => {
    expect((await run("grants", "notes")).written.stdout).toMatch(/grant_1 +active .*mia +Bash +command=git status \*/u)
    const { calls } = await run("revoke", "notes", "grant_1")
    expect(calls.find(({ name }) => name === "revokeGrant")?.args.slice(0, 2)).toEqual(["abc123", "grant_1"])
  })
})
