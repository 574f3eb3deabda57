import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { type CallFacts, gate, type Verdict } from "../../../../domain/approval/gate.ts"
import { settingsFacts } from "../../../../domain/approval/settings-facts.ts"
import { dependsOnReadOnly, isRefusedUnconfined, isRefusedUnnamed } from "../../../../domain/approval/tool-verdicts.ts"
import { sandboxModeOf } from "../../../../domain/approval/process-sandbox.ts"
import { factsIn, judgeSettings, plainCall } from "../../../helpers/approval/call-facts.ts"

const tool = (name: string, readOnly = false) => ({ name, readOnly })
const run: Parameters<typeof factsIn>[1] = {
  policy: {},
  inheritedPolicies: [],
  never: "pause",
  approval: "policy",
  sandbox: "auto",
  sandboxed: false,
}
const auto = { "*": "auto" } as const
const never = { "*": "never" } as const
const program = "binary:crawler"

describe("the gate, by a run's settings", () => {
  const policy = { Bash: "never", Write: "prompt" } as const

  it.each([
    ["policy", tool("Write"), "ask"],
    ["policy", tool("Bash"), "ask"],
    ["policy", tool("Read", true), "run"],
    ["all", tool("Write"), "run"],
    ["all", tool("Bash"), "refuse"],
    [["Write"], tool("Write"), "run"],
    [["Wr*"], tool("Write"), "run"],
    [["Bash"], tool("Bash"), "ask"],
    [["Bash"], tool("Write"), "ask"],
  ] as const)("with approval %j says of %j: %s", (approval, given, expected) => {
    const wanted = typeof approval === "string" ? approval : [...approval]
    expect(judgeSettings(given, { ...run, policy, approval: wanted })).toBe(expected)
  })

  it('refuses a "never" tool at once if the policy rejects on never', () => {
    expect(judgeSettings(tool("Bash"), { ...run, policy, never: "reject" })).toBe("refuse")
  })

  it("depends on whether a tool is read-only only if the policy does", () => {
    expect(dependsOnReadOnly("mcp__docs__get", run)).toBe(true)
    expect(dependsOnReadOnly("mcp__docs__get", { ...run, policy: auto })).toBe(false)
  })
})

describe("the gate, by the host of a page", () => {
  const unknown = { web: { host: "example.org", isKnown: false } }
  const person = { by: "person", knowsProtected: true, changes: [] } as const

  it.each<readonly [string, Partial<CallFacts>, Verdict["verdict"]]>([
    ["policy asks", unknown, "ask"],
    ["policy lets it run", { ...unknown, policy: "auto" }, "run"],
    ["the run asks nobody", { ...unknown, approval: "all" }, "refuse"],
    ["the run approved this tool", { ...unknown, approval: "named" }, "refuse"],
    ["the run asks nobody, and the host is named", { web: { host: "a.org", isKnown: true }, approval: "all" }, "run"],
    [
      "the run asks nobody, and a grant covers the host",
      { ...unknown, approval: "all", grant: { id: "g", covers: true } },
      "run",
    ],
    [
      "the run asks nobody, and a grant covers another",
      { ...unknown, approval: "all", grant: { id: "g", covers: false } },
      "refuse",
    ],
    ["a person approved the call", { ...unknown, approval: "all", decided: person }, "run"],
  ])("decides if %s", (_, facts, expected) => {
    const given: CallFacts = { ...settingsFacts(tool("WebFetch"), run), ...plainCall, ...facts }
    expect(gate(given).verdict).toBe(expected)
  })

  it("leaves the tool out where every page would be refused", () => {
    const asksNobody = { ...run, approval: "all" } as const
    expect(isRefusedUnnamed(tool("WebFetch"), asksNobody, [])).toBe(true)
    expect(isRefusedUnnamed(tool("WebFetch"), asksNobody, ["example.org"])).toBe(false)
    expect(isRefusedUnnamed(tool("WebFetch"), run, [])).toBe(false)
    expect(isRefusedUnnamed(tool("Write"), asksNobody, [])).toBe(false)
  })
})

describe("the gate, by the people whose approval a call needs", () => {
  const missing = { rule: { missing: "Write needs approval by ana" } }
  const person = { by: "person", knowsProtected: true, changes: [] } as const

  it.each<readonly [string, Partial<CallFacts>, Verdict["verdict"]]>([
    ["policy lets it run", { policy: "auto" }, "ask"],
    ["the run approved all calls", { approval: "all" }, "ask"],
    ["the run named it", { approval: "named" }, "ask"],
    ["a grant covers it", { grant: { id: "grant_1", covers: true } }, "ask"],
    ["someone approved it", { decided: person }, "ask"],
    ["nobody can be asked", { decided: person, canAsk: false }, "refuse"],
    ["an attempt has started it", { decided: { by: "attempt" } }, "run"],
    ["the worker never allows it", { workerPolicy: "never", decided: person }, "refuse"],
  ])("lets no call run that they have not approved, although %s", (_, facts, expected) => {
    const given: CallFacts = { ...settingsFacts(tool("Write"), run), ...plainCall, ...missing, ...facts }
    expect(gate(given).verdict).toBe(expected)
    const approved = gate({ ...given, decided: given.decided.by === "nobody" ? person : given.decided, rule: {} })
    expect(approved.verdict).toBe(expected === "refuse" && facts.workerPolicy === "never" ? "refuse" : "run")
  })
})

describe("the gate, by the sandbox of a worker", () => {
  it.each<readonly [string, Partial<RunSnapshot>, boolean, Verdict["verdict"]]>([
    ["Bash", {}, true, "ask"],
    ["Bash", {}, false, "ask"],
    ["Bash", { policy: auto }, true, "run"],
    ["Bash", { policy: auto }, false, "ask"],
    ["Bash", { policy: auto, approval: ["Bash"] }, false, "refuse"],
    ["Bash", { policy: auto, approval: ["Bash"], sandbox: "off" }, false, "run"],
    ["Bash", { policy: auto, approval: ["Bash"], unconfined: true }, false, "run"],
    ["Bash", { policy: auto, approval: ["*"] }, false, "ask"],
    ["Bash", { approval: "all" }, false, "refuse"],
    ["Bash", { approval: "all" }, true, "run"],
    ["Bash", { approval: "all", sandbox: "off" }, false, "run"],
    ["Bash", { approval: "all", unconfined: true }, false, "run"],
    ["Bash", { approval: "all", unconfined: true, sandbox: "require" }, false, "refuse"],
    ["Bash", { approval: "all", unconfined: true, policy: never }, false, "refuse"],
    ["Bash", { sandboxed: true }, true, "ask"],
    ["Bash", { sandboxed: true, policy: auto }, true, "run"],
    ["Bash", { taskSandbox: true }, true, "run"],
    ["Bash", { taskSandbox: true, policy: never }, true, "ask"],
    ["Bash", { taskSandbox: true, policy: never, never: "reject" }, true, "refuse"],
    ["Bash", { taskSandbox: true, approval: "all" }, false, "refuse"],
    ["Bash", { sandboxed: true }, false, "refuse"],
    ["Bash", { sandbox: "require", approval: "all" }, false, "refuse"],
    ["Bash", { sandbox: "require" }, true, "ask"],
    [program, {}, false, "ask"],
    [program, { policy: auto }, false, "run"],
    [program, { sandboxed: true }, true, "ask"],
    [program, { taskSandbox: true }, true, "run"],
    [program, { taskSandbox: true, policy: never }, true, "ask"],
    [program, { sandbox: "require" }, true, "ask"],
    [program, { sandboxed: true }, false, "refuse"],
    ["mcp__docs__put", { sandboxed: true }, true, "ask"],
    ["Write", { sandboxed: true }, false, "ask"],
    ["Write", { taskSandbox: true }, true, "ask"],
    ["mcp__docs__put", { taskSandbox: true }, true, "ask"],
  ])("says of %s in a run with %j, confined: %s: %s", (name, settings, confined, expected) => {
    expect(gate(factsIn(tool(name), { ...run, ...settings }, confined)).verdict).toBe(expected)
  })

  it.each([
    ["Bash", "auto", false, "auto"],
    ["Bash", "require", false, "auto"],
    ["Bash", "off", false, "off"],
    [program, "auto", false, "off"],
    [program, "require", false, "auto"],
    [program, "auto", true, "auto"],
  ] as const)("of %s with sandbox %s, sandboxed %s, counts the sandbox %s", (name, sandbox, sandboxed, expected) => {
    expect(sandboxModeOf(name, { sandbox, sandboxed })).toBe(expected)
  })

  it("names the tools that a run cannot use where no sandbox works", () => {
    const isRefused = (name: string, settings: Partial<RunSnapshot>) =>
      isRefusedUnconfined(tool(name), { ...run, ...settings })
    expect(isRefused("Bash", { approval: "all" })).toBe(true)
    expect(isRefused("Bash", {})).toBe(false)
    // Policy never allows it, with or without a sandbox.
    expect(isRefused("Bash", { approval: "all", policy: never })).toBe(false)
    expect(isRefused("Write", { approval: "all" })).toBe(false)
  })
})

const facts = (over: Partial<CallFacts>): CallFacts => ({ ...factsIn(tool("Write"), run, false), ...over })
const person = (over: Partial<Extract<CallFacts["decided"], { by: "person" }>> = {}) =>
  ({ by: "person", knowsProtected: false, changes: [], ...over }) as const
const hooks = { kind: "protected", path: ".git/hooks/pre-commit" } as const
const unchecked = { kind: "unchecked", why: "too many folders" } as const

describe("a call that changes a protected path", () => {
  it.each<readonly [Partial<RunSnapshot>, Verdict["verdict"]]>([
    [{}, "ask"],
    [{ policy: auto }, "ask"],
    [{ approval: ["Write"] }, "ask"],
    [{ never: "reject" }, "refuse"],
    [{ approval: "all" }, "refuse"],
    [{ approval: "all", policy: auto, sandboxed: true }, "refuse"],
  ])("in a run with %j: %s", (settings, expected) => {
    const known = factsIn(tool("Write"), { ...run, ...settings }, true)
    for (const change of [hooks, unchecked]) expect(gate({ ...known, change }).verdict).toBe(expected)
  })

  it("is asked about by its name, also after a decision that did not know of it", () => {
    for (const decided of [plainCall.decided, person()])
      expect(gate(facts({ change: hooks, decided }))).toMatchObject({
        verdict: "ask",
        why: [{ about: "protected", text: expect.stringContaining(hooks.path) }],
      })
    expect(gate(facts({ change: hooks, decided: person({ knowsProtected: true }) }))).toEqual({ verdict: "run" })
    expect(gate(facts({ change: hooks, approval: "all" }))).toMatchObject({
      why: { about: "protected", text: expect.stringContaining("only a person can approve") },
    })
    expect(gate(facts({ change: unchecked }))).toMatchObject({
      why: [{ text: expect.stringContaining(unchecked.why) }],
    })
  })
})

describe("a call on which a person has decided", () => {
  it("runs, and is asked about again with everything that has changed", () => {
    expect(gate(facts({ decided: person() }))).toEqual({ verdict: "run" })
    const changes = ["a.txt was changed by something else after you were asked"]
    expect(gate(facts({ decided: person({ changes }), change: hooks }))).toMatchObject({
      verdict: "ask",
      why: [
        { about: "changed", text: changes[0] },
        { about: "protected", text: expect.stringContaining(hooks.path) },
      ],
    })
    expect(gate(facts({ decided: person({ changes }), canAsk: false }))).toMatchObject({
      verdict: "refuse",
      why: { about: "changed", text: `Write was not started: ${changes[0]}` },
    })
  })

  it("is refused all the same by its worker, and for the end of its answer", () => {
    const decided = person()
    expect(gate(facts({ decided, workerPolicy: "never" }))).toMatchObject({ why: { about: "worker" } })
    expect(gate(facts({ decided, unavailable: "switched off" }))).toMatchObject({ why: { text: "switched off" } })
    expect(gate(facts({ decided, endProblem: "cut" }))).toMatchObject({ why: { about: "answer", text: "cut" } })
  })
})

describe("a call that an earlier attempt has started", () => {
  const decided = { by: "attempt" } as const

  it("is not asked about, but what this worker never does is not repeated, and its start not denied", () => {
    expect(gate(facts({ decided, change: hooks }))).toEqual({ verdict: "run" })
    expect(gate(facts({ decided, workerPolicy: "never" }))).toMatchObject({
      verdict: "refuse",
      why: { text: expect.stringContaining("another worker had started it") },
    })
  })
})

describe("a grant", () => {
  const grant = { id: "grant_1", covers: true } as const
  const command = (confined: boolean, over: Partial<RunSnapshot> = {}) =>
    factsIn(tool("Bash"), { ...run, ...over }, confined)

  it("lets a call run that policy asks about, while it covers the call", () => {
    expect(gate(facts({ grant }))).toEqual({ verdict: "run" })
    expect(gate(facts({ grant: { ...grant, covers: false } }))).toMatchObject({
      verdict: "ask",
      why: [{ about: "grant", text: expect.stringContaining("grant_1 no longer covers") }],
    })
    expect(gate({ ...command(true), grant })).toEqual({ verdict: "run" })
  })

  it("never counts for what policy never allows, a protected path or a process outside a sandbox", () => {
    expect(gate(facts({ grant, policy: "never" })).verdict).toBe("ask")
    expect(gate(facts({ grant, change: hooks })).verdict).toBe("ask")
    expect(gate({ ...command(false), grant })).toMatchObject({ verdict: "ask", why: [{ about: "sandbox" }] })
    expect(gate({ ...command(false, { policy: auto }), grant }).verdict).toBe("ask")
  })
})
