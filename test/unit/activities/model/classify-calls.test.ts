import { describe, expect, it } from "vitest"
import { z } from "zod"
import { collectFacts } from "../../../../activities/approval/call-facts.ts"
import { type CallSurroundings, classifyCalls } from "../../../../activities/model/classify-calls.ts"
import type { AssistantMessage } from "../../../../contracts/message.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { bashInputSchema } from "../../../../contracts/tool-input.ts"
import type { WorkerPolicy } from "../../../../domain/approval/worker-policy.ts"
import { defineTool } from "../../../../tools/tool.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { assistantMessage } from "../../store/store-fixture.ts"

const put = defineTool({
  name: "Put",
  description: "Puts.",
  input: z.looseObject({ file_path: z.string() }),
  idempotent: false,
  readOnly: false,
  writes: ({ file_path }) => [file_path],
  execute: async () => expect.fail("a call was made"),
})

const bash = defineTool({
  name: "Bash",
  description: "Runs.",
  input: bashInputSchema,
  idempotent: false,
  readOnly: false,
  execute: async () => expect.fail("a call was made"),
})

interface Place extends Partial<Pick<CallSurroundings, "grantFor">> {
  readonly run?: Partial<RunSnapshot>
  readonly workerPolicy?: WorkerPolicy
  readonly answer?: Partial<AssistantMessage>
  readonly args?: Readonly<Record<string, unknown>> | null
  readonly name?: string
}

/** Classifies one call of Put in a run whose policy asks about it. */
const classify = async ({ run, workerPolicy, answer, args = { file_path: "a.md" }, name = "Put", grantFor }: Place) => {
  const snapshot: RunSnapshot = { ...baseSnapshot, delegation: "sessions", ...run }
  const deps = {
    ...(workerPolicy === undefined ? {} : { workerPolicy }),
    sandboxFor: async () => ({ confined: false }) as never,
    webHosts: [],
    protectedChange: async (_: RunSnapshot, path: string) => (path.startsWith(".") ? path : undefined),
  }
  const call = { id: "call_1", name, arguments: args === null ? null : { ...args } }
  const surroundings: CallSurroundings = {
    ...{ snapshot, tools: [put, bash], down: [], redact: (text) => text },
    listedNames: async () => [],
    otherNames: async () => [],
    factsOf: (judged) => collectFacts(deps, snapshot, judged),
    ...(grantFor === undefined ? {} : { grantFor }),
  }
  const message = { ...assistantMessage("", "", [{ type: "tool_call", call }]), ...answer } as AssistantMessage
  const [proposed] = await classifyCalls(message, surroundings)
  return proposed
}

const noLookUp = () => expect.fail("a grant was looked up")

describe("a proposed call", () => {
  it("that policy lets run is classified without looking for a grant", async () => {
    const auto = { policy: { Put: "auto" } } as const
    expect(await classify({ run: auto, grantFor: noLookUp })).toMatchObject({ kind: "tool", disposition: "auto" })
    const listed = await classify({ name: "agents_list", args: {}, grantFor: noLookUp })
    expect(listed).toMatchObject({ kind: "delegation", disposition: "auto" })
  })

  it("that policy asks about waits, or runs by a grant that it names", async () => {
    expect(await classify({})).toMatchObject({ disposition: "prompt" })
    const granted = await classify({ grantFor: async () => "grant_1" })
    expect(granted).toMatchObject({ disposition: "auto", grantId: "grant_1" })
    const hidden = await classify({ grantFor: async () => "grant_1", args: { file_path: ".envrc" } })
    expect(hidden).toMatchObject({ disposition: "prompt", isProtected: true })
    expect(hidden).not.toHaveProperty("grantId")
  })

  it("that is refused says why: rejected by policy, or an error of the worker", async () => {
    const never = { policy: { Put: "never" }, approval: "all" } as const
    expect(await classify({ run: never })).toMatchObject({
      ...{ kind: "tool", disposition: "refuse", problem: "policy never allows Put" },
    })
    expect(await classify({ run: { approval: "all" }, args: { file_path: ".envrc" } })).toMatchObject({
      ...{ disposition: "refuse", problem: expect.stringContaining(".envrc is protected") },
    })
    const workerPolicy: WorkerPolicy = { sandbox: "off", policy: { Put: "never", agents_list: "never" } }
    for (const call of [{}, { name: "agents_list", args: {} }])
      expect(await classify({ workerPolicy, ...call })).toMatchObject({
        ...{ kind: "invalid", problem: expect.stringContaining("never allows it") },
        // Both are audited.
        ...{ disposition: "refuse", code: "forbidden" },
      })
  })

  it("that asks to leave its sandbox is refused with a code of its own in a run that asks nobody", async () => {
    const leaving = { name: "Bash", args: { command: "ls", unconfined: true, reason: "r" } }
    const refused = { kind: "invalid", disposition: "refuse", code: "needs_approval" }
    for (const approval of ["all", ["Bash"]] as const)
      expect(await classify({ run: { approval } as Partial<RunSnapshot>, ...leaving })).toMatchObject({
        ...refused,
        problem: expect.stringMatching(/^needs_approval: the call asks to run outside the sandbox: only a person/),
      })
    expect(await classify({ run: { approval: "all", sandbox: "require" }, ...leaving })).toMatchObject({
      ...refused,
      code: "sandbox_unavailable",
    })
  })

  it.each<readonly [AssistantMessage["stop"], string]>([
    ["max_tokens", "the answer was cut"],
    ["context_exceeded", "the answer was cut"],
    ["refusal", "filtered"],
    ["pause_turn", "paused"],
    ["unknown", "unknown reason"],
  ])("of an answer that ended with %s does not run, whatever it is", async (stop, why) => {
    for (const call of [{}, { args: null }, { name: "agents_list", args: {} }, { name: "Nothing" }])
      expect(await classify({ run: { approval: "all" }, answer: { stop }, grantFor: noLookUp, ...call })).toMatchObject(
        {
          ...{ kind: "invalid", problem: expect.stringMatching(`^not run: .*${why}`) },
        },
      )
  })
})
