import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyMode, RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import {
  decideToolPolicy,
  type Disposition,
  dependsOnReadOnly,
  dispositionByPolicy,
  dispositionOf,
  isStricter,
  runToolPolicy,
  sandboxModeOf,
} from "../../../../domain/approval/disposition.ts"

const tool = (name: string, readOnly = false) => ({ name, readOnly })
const mode = fc.constantFrom<PolicyMode>("auto", "prompt", "never")

describe("decideToolPolicy", () => {
  it.each([
    ["runs a tool that changes nothing", tool("Read", true), "auto"],
    ["asks for a tool that changes something", tool("Write"), "prompt"],
    ["asks for an unknown tool", tool("mcp__docs__search"), "prompt"],
    ["runs the todo list", tool("TodoWrite"), "auto"],
    ["finishing runs", tool("finish"), "auto"],
    ["delegation runs", tool("sessions_spawn"), "auto"],
    ["asks before changes are merged", tool("sessions_merge"), "prompt"],
  ] as const)("without a rule, %s", (_, given, expected) => {
    expect(decideToolPolicy(given, {})).toBe(expected)
  })

  it("gives the exact name precedence over a prefix, and a longer prefix over a shorter one", () => {
    const rules = { "*": "never", "mcp__*": "prompt", "mcp__docs__*": "auto", mcp__docs__drop: "never" } as const
    expect(decideToolPolicy(tool("mcp__docs__drop"), rules)).toBe("never")
    expect(decideToolPolicy(tool("mcp__docs__search"), rules)).toBe("auto")
    expect(decideToolPolicy(tool("mcp__web__get"), rules)).toBe("prompt")
    expect(decideToolPolicy(tool("Read", true), rules)).toBe("never")
  })

  it.each(["Write", "Edit", "*"])("never merges changes where policy never allows %s", (name) => {
    const policy = { [name]: "never", sessions_merge: "auto" } as const
    expect(runToolPolicy(tool("sessions_merge"), { policy, inheritedPolicies: [] })).toBe("never")
  })

  it("does not confuse a server with another whose name it begins", () => {
    expect(decideToolPolicy(tool("mcp__docs2__x"), { "mcp__docs__*": "auto" })).toBe("prompt")
  })

  it("never requires approval for finish, whatever the rules say", () => {
    expect(decideToolPolicy(tool("finish"), { "*": "never", finish: "prompt" })).toBe("auto")
  })

  it("does not depend on the order of the rules", () => {
    const prefixes = fc.array(fc.tuple(fc.nat({ max: 8 }), mode), { maxLength: 8 })
    fc.assert(
      fc.property(prefixes, (chosen) => {
        const rules = chosen.map(([length, each]) => [`${"mcp__x_y".slice(0, length)}*`, each] as const)
        const unique = [...new Map(rules)]
        const given = tool("mcp__x_y")
        expect(decideToolPolicy(given, Object.fromEntries(unique))).toBe(
          decideToolPolicy(given, Object.fromEntries(unique.toReversed())),
        )
        const longest = unique.toSorted(([left], [right]) => right.length - left.length)[0]
        expect(decideToolPolicy(given, Object.fromEntries(unique))).toBe(longest?.[1] ?? "prompt")
      }),
    )
  })
})

describe("a run's policy", () => {
  it("is never more lenient than any policy that it inherited", () => {
    const rules = fc.dictionary(fc.constantFrom("Read", "Bash", "R*", "*"), mode)
    fc.assert(
      fc.property(rules, fc.array(rules, { maxLength: 3 }), fc.boolean(), (policy, inheritedPolicies, readOnly) => {
        const given = tool("Read", readOnly)
        const effective = runToolPolicy(given, { policy, inheritedPolicies })
        for (const each of [policy, ...inheritedPolicies])
          expect(isStricter(decideToolPolicy(given, each), effective)).toBe(false)
      }),
    )
  })

  const run: Pick<RunSnapshot, "policy" | "inheritedPolicies" | "never"> = {
    policy: { Bash: "never", Write: "prompt" },
    inheritedPolicies: [],
    never: "pause",
  }

  it.each([
    ["policy", tool("Write"), "prompt"],
    ["policy", tool("Bash"), "prompt"],
    ["policy", tool("Read", true), "auto"],
    ["all", tool("Write"), "auto"],
    ["all", tool("Bash"), "refuse"],
    [["Write"], tool("Write"), "auto"],
    [["Bash"], tool("Bash"), "prompt"],
    [["Bash"], tool("Write"), "prompt"],
  ] as const)("with approval %j treats a call with policy %j as %s", (approval, given, expected) => {
    expect(
      dispositionByPolicy(given, { ...run, approval: typeof approval === "string" ? approval : [...approval] }),
    ).toBe(expected)
  })

  it('rejects a "never" tool at once if the policy rejects on never', () => {
    expect(dispositionByPolicy(tool("Bash"), { ...run, never: "reject", approval: "policy" })).toBe("refuse")
  })
})

describe("dispositionOf", () => {
  const run: Parameters<typeof dispositionOf>[1] = {
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

  it.each<readonly [string, Partial<RunSnapshot>, boolean, Disposition]>([
    ["Bash", {}, true, "prompt"],
    ["Bash", {}, false, "prompt"],
    ["Bash", { policy: auto }, true, "auto"],
    ["Bash", { policy: auto }, false, "prompt"],
    ["Bash", { policy: auto, approval: ["Bash"] }, false, "unconfined"],
    ["Bash", { policy: auto, approval: ["Bash"], sandbox: "off" }, false, "auto"],
    ["Bash", { policy: auto, approval: ["Bash"], unconfined: true }, false, "auto"],
    ["Bash", { policy: auto, approval: ["*"] }, false, "prompt"],
    ["Bash", { approval: "all" }, false, "unconfined"],
    ["Bash", { approval: "all" }, true, "auto"],
    ["Bash", { approval: "all", sandbox: "off" }, false, "auto"],
    ["Bash", { approval: "all", unconfined: true }, false, "auto"],
    ["Bash", { approval: "all", unconfined: true, sandbox: "require" }, false, "unconfined"],
    ["Bash", { approval: "all", unconfined: true, policy: never }, false, "refuse"],
    ["Bash", { sandboxed: true }, true, "prompt"],
    ["Bash", { sandboxed: true, policy: auto }, true, "auto"],
    ["Bash", { taskSandbox: true }, true, "auto"],
    ["Bash", { taskSandbox: true, policy: never }, true, "prompt"],
    ["Bash", { taskSandbox: true, policy: never, never: "reject" }, true, "refuse"],
    ["Bash", { taskSandbox: true, approval: "all" }, false, "unconfined"],
    ["Bash", { sandboxed: true }, false, "unconfined"],
    ["Bash", { sandbox: "require", approval: "all" }, false, "unconfined"],
    ["Bash", { sandbox: "require" }, true, "prompt"],
    [program, {}, false, "prompt"],
    [program, { policy: auto }, false, "auto"],
    [program, { sandboxed: true }, true, "prompt"],
    [program, { taskSandbox: true }, true, "auto"],
    [program, { taskSandbox: true, policy: never }, true, "prompt"],
    [program, { sandbox: "require" }, true, "prompt"],
    [program, { sandboxed: true }, false, "prompt"],
    ["mcp__docs__put", { sandboxed: true }, true, "prompt"],
    ["Write", { sandboxed: true }, false, "prompt"],
    ["Write", { taskSandbox: true }, true, "prompt"],
    ["mcp__docs__put", { taskSandbox: true }, true, "prompt"],
  ])("for %s in a run with %j, confined: %s, is %s", (name, settings, isConfined, expected) => {
    expect(dispositionOf(tool(name), { ...run, ...settings }, isConfined)).toBe(expected)
  })

  it.each([
    ["Bash", "auto", false, "auto"],
    ["Bash", "require", false, "auto"],
    ["Bash", "off", false, "off"],
    [program, "auto", false, "off"],
    [program, "require", false, "auto"],
    [program, "auto", true, "auto"],
  ] as const)("of %s with sandbox %s, sandboxed %s, checks the sandbox %s", (name, sandbox, sandboxed, expected) => {
    expect(sandboxModeOf(name, { sandbox, sandboxed })).toBe(expected)
  })

  it.each<readonly [Partial<RunSnapshot>, string]>([
    [{}, "prompt"],
    [{ policy: auto }, "prompt"],
    [{ approval: ["Write"] }, "prompt"],
    [{ never: "reject" }, "refuse"],
    [{ approval: "all" }, "refuse"],
    [{ approval: "all", policy: auto, sandboxed: true }, "refuse"],
  ])("of a call that changes a protected path, in a run with %j, is %s", (settings, expected) => {
    expect(dispositionOf({ ...tool("Write"), isProtected: true }, { ...run, ...settings }, true)).toBe(expected)
  })

  it("depends on whether a tool is read-only only if the policy does", () => {
    expect(dependsOnReadOnly("mcp__docs__get", run)).toBe(true)
    expect(dependsOnReadOnly("mcp__docs__get", { ...run, policy: auto })).toBe(false)
  })
})
