import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ruleFor } from "../../../../domain/people/approval-rule.ts"
import { type Identity, personOf } from "../../../../domain/people/person.ts"
import { missingApproval, rightToDecide } from "../../../../domain/people/right-to-decide.ts"

const may = (approve: string[], profiles = ["*"]) => ({ may: { approve, profiles } })
const people = {
  ana: { github: "octo-ana", slack: "U1", token: "ana-laptop", local: "ana" },
  ben: { telegram: 55, ...may(["mcp__deploy__*"]) },
  cleo: { ...may(["*"], ["release*"]) },
}
const rule = { approvers: ["ana", "ben", "cleo"], require: 2, notOwn: true }
const call = { id: "call_1", name: "mcp__deploy__start", profile: "general" }
const nobody = { approvedBy: [], startedBy: [] }
const person = (name: string | undefined) => ({ person: name, kind: "person" }) as const

describe("who a sender is", () => {
  it.each<readonly [Identity | undefined, string | undefined]>([
    [{ kind: "github", id: "Octo-Ana" }, "ana"],
    [{ kind: "slack", id: "U1" }, "ana"],
    [{ kind: "slack", id: "u1" }, undefined],
    [{ kind: "telegram", id: "55" }, "ben"],
    [{ kind: "token", id: "ana-laptop" }, "ana"],
    [{ kind: "token", id: "octo-ana" }, undefined],
    [{ kind: "local", id: "ana" }, "ana"],
    [{ kind: "person", id: "ben" }, "ben"],
    [{ kind: "person", id: "toString" }, undefined],
    [undefined, undefined],
  ])("by %j is %s", (identity, expected) => {
    expect(personOf(people, identity)).toBe(expected)
  })
})

describe("the rule of a call", () => {
  it("is the first that names its tool", () => {
    const one = { tools: ["mcp__deploy__*"], approvers: ["ana"], require: 1, notOwn: false }
    const two = { tools: ["*"], approvers: ["ben"], require: 1, notOwn: false }
    expect([ruleFor([one, two], call.name)?.approvers, ruleFor([one, two], "Bash")?.approvers]).toEqual([
      ["ana"],
      ["ben"],
    ])
    expect(ruleFor([one], "Bash")).toBeUndefined()
  })
})

describe("the right to decide", () => {
  const right = (
    ...[decider, decision]: [Parameters<typeof rightToDecide>[1], Partial<Parameters<typeof rightToDecide>[2]>]
  ) =>
    rightToDecide(people, decider, { call: { ...call, rule }, action: "accept", approvals: nobody, ...decision }).right

  it.each([
    ["an approver's first approval", "ana", "accept", nobody, "counts"],
    ["the same person's second approval", "ana", "accept", { approvedBy: ["ana"], startedBy: [] }, "counts"],
    ["another person's approval", "ben", "accept", { approvedBy: ["ana"], startedBy: [] }, "decides"],
    ["an approval next to that of a stranger", "ben", "accept", { approvedBy: ["dora"], startedBy: [] }, "counts"],
    ["an approval of a call of the own run", "ana", "accept", { approvedBy: ["ben"], startedBy: ["ana"] }, "none"],
    ["a rejection of a call of the own run", "ana", "reject", { approvedBy: [], startedBy: ["ana"] }, "decides"],
    [
      "an approval next to that of the run's own starter",
      "ben",
      "accept",
      { approvedBy: ["ana"], startedBy: ["ana"] },
      "counts",
    ],
    ["one rejection", "ben", "reject", { approvedBy: ["ana"], startedBy: [] }, "decides"],
    ["other arguments", "ana", "edit", { approvedBy: ["ben"], startedBy: [] }, "decides"],
    ["an approver who may not decide for the profile", "cleo", "accept", nobody, "none"],
    ["a person who is no approver", "dora", "accept", nobody, "none"],
    ["a rejection by a person who is no approver", "dora", "reject", nobody, "none"],
    ["nobody in people", undefined, "accept", nobody, "none"],
    ["a rejection by nobody in people", undefined, "reject", nobody, "none"],
  ] as const)("under a rule, of %s (%s, %s): %s", (_, name, action, approvals, expected) => {
    expect(right(person(name), { action, approvals })).toBe(expected)
  })

  it("refuses a model with the token of a person", () => {
    expect(right({ person: "ana", kind: "model" }, { action: "reject" })).toBe("none")
  })

  it.each([
    ["ana", "Bash", "general", "decides"],
    ["ben", "Bash", "general", "none"],
    ["ben", "mcp__deploy__stop", "general", "decides"],
    ["cleo", "Bash", "release-notes", "decides"],
    ["cleo", "Bash", "general", "none"],
    [undefined, "Bash", "general", "decides"],
  ] as const)("without a rule, %s about %s of %s: %s", (name, tool, profile, expected) => {
    const plain = { id: "call_1", name: tool, profile }
    expect(right(person(name), { call: plain })).toBe(expected)
    expect(right(person(name), { call: plain, action: "reject" })).toBe(expected)
  })

  it("is complete exactly when enough different people with the right have approved", () => {
    const names = fc.constantFrom("ana", "ben", "cleo", "dora")
    fc.assert(
      fc.property(
        fc.array(names),
        fc.array(names),
        fc.integer({ min: 1, max: 3 }),
        (approvedBy, startedBy, require) => {
          const counting = new Set(
            approvedBy.filter((name) => ["ana", "ben"].includes(name) && !startedBy.includes(name)),
          )
          const given = { ...call, rule: { ...rule, require } }
          expect(missingApproval(people, given, { approvedBy, startedBy }) === undefined).toBe(counting.size >= require)
        },
      ),
    )
  })
})
