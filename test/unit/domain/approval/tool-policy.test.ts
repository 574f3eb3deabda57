import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyMode, RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { decideToolPolicy, dispositionOf, isStricter, runToolPolicy } from "../../../../domain/approval/tool-policy.ts"

const tool = (name: string, readOnly = false) => ({ name, readOnly })
const mode = fc.constantFrom<PolicyMode>("auto", "prompt", "never")

describe("decideToolPolicy", () => {
  it.each([
    ["what changes nothing runs", tool("Read", true), "auto"],
    ["what changes something asks", tool("Write"), "prompt"],
    ["an unknown tool asks", tool("mcp__docs__search"), "prompt"],
    ["the todo list runs", tool("TodoWrite"), "auto"],
    ["finishing runs", tool("finish"), "auto"],
    ["delegation runs", tool("sessions_spawn"), "auto"],
  ] as const)("without a rule %s", (_, given, expected) => {
    expect(decideToolPolicy(given, {})).toBe(expected)
  })

  it("lets the exact name win over any prefix, and a longer prefix over a shorter one", () => {
    const rules = { "*": "never", "mcp__*": "prompt", "mcp__docs__*": "auto", mcp__docs__drop: "never" } as const
    expect(decideToolPolicy(tool("mcp__docs__drop"), rules)).toBe("never")
    expect(decideToolPolicy(tool("mcp__docs__search"), rules)).toBe("auto")
    expect(decideToolPolicy(tool("mcp__web__get"), rules)).toBe("prompt")
    expect(decideToolPolicy(tool("Read", true), rules)).toBe("never")
  })

  it("does not take a server for another one whose name it begins", () => {
    expect(decideToolPolicy(tool("mcp__docs2__x"), { "mcp__docs__*": "auto" })).toBe("prompt")
  })

  it("never asks about finish, whatever the rules say", () => {
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
  it("is never milder than any policy that it inherited", () => {
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
  ] as const)("with approval %j meets a call of %j with %s", (approval, given, expected) => {
    expect(dispositionOf(given, { ...run, approval: typeof approval === "string" ? approval : [...approval] })).toBe(
      expected,
    )
  })

  it("refuses a never tool at once where never means reject", () => {
    expect(dispositionOf(tool("Bash"), { ...run, never: "reject", approval: "policy" })).toBe("refuse")
  })
})
