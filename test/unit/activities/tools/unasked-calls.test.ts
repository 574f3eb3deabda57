import { expect, it } from "vitest"
import { confinementLost, mustBeAsked, refusedHere } from "../../../../activities/approval/unasked-calls.ts"
import type { RunToolInput } from "../../../../activities/contract/agent-activities.ts"
import type { RunSnapshot, SandboxMode } from "../../../../contracts/run-snapshot.ts"
import { raiseToFloor } from "../../../../domain/approval/worker-floor.ts"
import { openBatch, withCallState } from "../../../../domain/run/tool-batch.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"

// A command that policy allows runs without a question where a sandbox confines it. The worker that ran it could be
// another one, without a sandbox: the command ran unconfined, and nobody had been asked.

const careful: RunSnapshot = { ...baseSnapshot, approval: "policy", policy: { Bash: "auto" }, sandbox: "auto" }

const lost = (
  snapshot: Partial<RunSnapshot>,
  { hasSandbox = false, isUnasked = true, name = "Bash" } = {},
): Promise<string | undefined> => {
  const sandboxFor = async (mode: SandboxMode) => ({ confined: hasSandbox && mode !== "off" }) as never
  return confinementLost({ sandboxFor }, { isUnasked }, { snapshot: { ...careful, ...snapshot }, name })
}

it("asks about a command that nobody was asked about, if the worker that runs it has no sandbox", async () => {
  expect(await lost({})).toContain("there is none now")
  expect(await lost({}, { hasSandbox: true })).toBeUndefined()
})

it.each<readonly [string, Partial<RunSnapshot>, Parameters<typeof lost>[1]]>([
  ["a person approved it", {}, { isUnasked: false }],
  ["the run's approval covers all commands", { approval: "all" }, {}],
  ["the run's approval names Bash", { approval: ["Bash"] }, {}],
  ["it may only run in a sandbox, and is refused", { sandbox: "require" }, {}],
  ["the tool starts no process", {}, { name: "Write" }],
])("does not ask if %s", async (_, snapshot, options) => {
  expect(await lost(snapshot, options)).toBeUndefined()
})

it("does not ask about a call that an earlier attempt has started", async () => {
  const before = (callId: string) =>
    mustBeAsked(
      {
        store: { claims: { get: async () => ({ callId: "call_1" }) } } as never,
        sandboxFor: async () => ({ confined: false }) as never,
      },
      { isUnasked: true, callId, sessionId: "s", resultSeq: 3 } as RunToolInput,
      { snapshot: careful, name: "Bash" },
    )
  expect(await before("call_1")).toBeUndefined()
  expect(await before("call_2")).toContain("there is none now")
})

it("counts a call as asked about once it waits for a decision", () => {
  const proposed = { id: "call_1", name: "Bash", kind: "tool", disposition: "auto", readOnly: false, idempotent: false }
  const batch = openBatch(1, 1, [{ ...proposed, preview: "", grantId: "grant_1" } as never])
  const [asked] = withCallState(batch, "call_1", { at: "pending", again: "why" }).calls
  expect(asked).toMatchObject({ disposition: "prompt" })
  expect(asked).not.toHaveProperty("grantId")
  expect(withCallState(batch, "call_1", { at: "done" }).calls[0]).toMatchObject({ disposition: "auto" })
})

// A worker that asks about a tool by its own policy ran a call that another worker had not asked about.

const asking = { sandbox: "off", policy: { Write: "prompt" } } as const
const permissive: RunSnapshot = { ...baseSnapshot, approval: "policy", policy: { "*": "auto" }, sandbox: "off" }
const noClaim = { claims: { get: async () => undefined } } as never

const mustAsk = (
  input: { readonly isUnasked?: boolean; readonly grantId?: string },
  { approval = permissive.approval, name = "Write" }: { approval?: RunSnapshot["approval"]; name?: string } = {},
) => {
  const deps = { floor: asking, store: noClaim, sandboxFor: async () => ({ confined: false }) as never }
  const call = { snapshot: raiseToFloor({ ...permissive, approval }, asking), name }
  const asked = { callId: "call_1", sessionId: "s", resultSeq: 3, ...input } as RunToolInput
  return Promise.all([mustBeAsked(deps, asked, call), refusedHere(deps, asked, call)])
}

it("asks about a call, or refuses it where nobody can be asked again, if only its own policy asks", async () => {
  const [why, refused] = await mustAsk({ isUnasked: true })
  expect(why).toContain("asks about Write")
  expect(refused).toContain("Write was not started")
})

it("runs a call that a person, a grant or the run's approval allows, or that its policy does not ask about", async () => {
  const neither = [undefined, undefined]
  expect(await mustAsk({})).toEqual(neither)
  expect(await mustAsk({ isUnasked: true, grantId: "grant_1" })).toEqual(neither)
  expect(await mustAsk({ isUnasked: true }, { approval: "all" })).toEqual(neither)
  expect(await mustAsk({ isUnasked: true }, { approval: ["Write"] })).toEqual(neither)
  expect(await mustAsk({ isUnasked: true }, { name: "Edit" })).toEqual(neither)
})
