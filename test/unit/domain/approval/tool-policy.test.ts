import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyMode } from "../../../../contracts/approval/run-policy.ts"
import { decideToolPolicy, isStricter, runToolPolicy } from "../../../../domain/approval/tool-policy.ts"

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

  it.each([
    [{}, "prompt"],
    [{ Write: "auto", Edit: "auto" }, "auto"],
    [{ Write: "auto" }, "prompt"],
    [{ Write: "auto", Edit: "auto", apply_patch: "prompt" }, "prompt"],
    [{ apply_patch: "auto" }, "auto"],
    [{ Write: "never", apply_patch: "auto" }, "never"],
    [{ Edit: "never" }, "never"],
  ] as const)("lets a patch do what Write and Edit may, unless a rule names it: %o", (policy, expected) => {
    expect(runToolPolicy(tool("apply_patch"), { policy, inheritedPolicies: [] })).toBe(expected)
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
})
