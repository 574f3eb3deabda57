import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyMode } from "../../../../contracts/approval/run-policy.ts"
import { type CallFacts, gate, type Verdict } from "../../../../domain/approval/gate.ts"
import type { ProcessFacts } from "../../../../domain/approval/process-sandbox.ts"
import { isDeep } from "../../../helpers/effort.ts"

const modes: readonly PolicyMode[] = ["auto", "prompt", "never"]
const bits = [false, true] as const

const allProcesses = (["command", "program"] as const).flatMap((kind) =>
  bits.flatMap((mustBeConfined) =>
    bits.flatMap((isTask) =>
      bits.flatMap((mayBeUnconfined) =>
        bits.flatMap((confined) =>
          ([undefined, "sandbox", "hosts", "network"] as const).map((opens): ProcessFacts => ({
            ...{ kind, mustBeConfined, isTask, mayBeUnconfined, confined, opens },
            reason: "none",
          })),
        ),
      ),
    ),
  ),
)

/**
 * A task's processes must be confined; only a command that need not be may leave the sandbox, and no other program runs in one. Only a command asks for
 * more than a sandbox gives: for none, or for network of one.
 */
const isReal = ({ kind, mustBeConfined, isTask, mayBeUnconfined, confined, opens }: ProcessFacts): boolean =>
  (opens === undefined || (kind === "command" && confined === (opens !== "sandbox"))) &&
  (mustBeConfined ? !mayBeUnconfined : !isTask && (kind === "command" || (!confined && !mayBeUnconfined)))

const processes = isDeep ? allProcesses : allProcesses.filter(isReal)

const people = bits.flatMap((knowsProtected) =>
  [[], ["a.txt was changed"]].map((changes) => ({ by: "person", knowsProtected, changes }) as const),
)

/** The values of each fact. Their product is every combination that matters. */
const values = {
  policy: modes,
  workerPolicy: modes,
  approval: ["all", "named", "covered", "policy"],
  never: ["pause", "reject"],
  process: [undefined, ...processes],
  change: [{ kind: "free" }, { kind: "protected", path: ".envrc" }, { kind: "unchecked", why: "unreadable" }],
  grant: [undefined, { id: "grant_1", covers: true }, { id: "grant_1", covers: false }],
  decided: [{ by: "nobody" }, { by: "attempt" }, ...people],
  canAsk: bits,
} as const satisfies Record<string, readonly unknown[]>

type Values = { readonly [Name in keyof typeof values]: (typeof values)[Name][number] }

const toFacts = (facts: Values): CallFacts => ({ name: "Tool", ...facts })

/** Calls `visit` with every combination. */
const forEachCombination = (visit: (facts: CallFacts) => void): void => {
  const names = Object.keys(values) as readonly (keyof Values)[]
  const chosen: Record<string, unknown> = {}
  const choose = (depth: number): void => {
    const name = names[depth]
    if (name === undefined) return visit(toFacts(chosen as unknown as Values))
    for (const value of values[name]) {
      chosen[name] = value
      choose(depth + 1)
    }
  }
  choose(0)
}

const isNever = ({ policy, workerPolicy, change }: CallFacts) =>
  policy === "never" || workerPolicy === "never" || change.kind !== "free"
const isAsked = (facts: CallFacts) =>
  facts.approval === "policy" && (facts.policy === "prompt" || facts.workerPolicy === "prompt")
const isOutside = ({ process }: CallFacts) => process?.kind === "command" && !process.confined
const asksBeyond = ({ process }: CallFacts) => process?.kind === "command" && process.opens !== undefined
const leaves = (facts: CallFacts) => isOutside(facts) || asksBeyond(facts)
const isUndecided = ({ decided }: CallFacts) => decided.by === "nobody"
const namesBash = ({ approval }: CallFacts) => approval === "all" || approval === "named"
const hasChanged = ({ decided, change }: CallFacts) =>
  decided.by === "person" && (decided.changes.length > 0 || (change.kind !== "free" && !decided.knowsProtected))
const isGranted = ({ grant, process }: CallFacts) =>
  grant?.covers === true && (process?.confined !== false || process.opens === "sandbox")

/** The rules as people are told them (docs/approve-a-call.md, docs/sandbox.md). The first that applies decides. */
const rules: readonly (readonly [string, Verdict["verdict"], (facts: CallFacts) => boolean])[] = [
  [
    "a worker makes no call that only it never allows",
    "refuse",
    ({ workerPolicy, policy }) => workerPolicy === "never" && policy !== "never",
  ],
  [
    "what must be confined does not run outside a sandbox",
    "refuse",
    ({ process }) => process?.mustBeConfined === true && !process.confined,
  ],
  [
    "nothing widens the sandbox of a task",
    "refuse",
    ({ process }) => process?.isTask === true && process.opens !== undefined,
  ],
  [
    "what is never allowed is refused where nobody decides on it",
    "refuse",
    (facts) => isNever(facts) && (facts.never === "reject" || (facts.approval === "all" && isUndecided(facts))),
  ],
  [
    "a command does not leave the sandbox unasked",
    "refuse",
    (facts) =>
      leaves(facts) &&
      !(asksBeyond(facts) && isGranted(facts)) &&
      !isNever(facts) &&
      isUndecided(facts) &&
      namesBash(facts) &&
      facts.process?.mayBeUnconfined === false,
  ],
  ["a call that has started is not asked about", "run", ({ decided }) => decided.by === "attempt"],
  ["a call that is not what was decided on is asked about again", "ask", hasChanged],
  ["a person's decision counts", "run", ({ decided }) => decided.by === "person"],
  ["what is never allowed is a person's decision", "ask", isNever],
  ["nothing leaves the sandbox of a task", "run", ({ process }) => process?.isTask === true && process.confined],
  ["a grant is the answer to what policy asks", "run", (facts) => isAsked(facts) && isGranted(facts)],
  ["policy asks", "ask", isAsked],
  ["a grant for the very command lets it leave the sandbox", "run", (facts) => asksBeyond(facts) && isGranted(facts)],
  ["a command outside a sandbox is asked about", "ask", (facts) => leaves(facts) && !namesBash(facts)],
  ["all else runs", "run", () => true],
]

const expectedOf = (facts: CallFacts): { readonly rule: string; readonly verdict: Verdict["verdict"] } => {
  const [rule, verdict] = rules.find(([, , applies]) => applies(facts)) ?? ["", "refuse"]
  return { rule, verdict: verdict === "ask" && !facts.canAsk ? "refuse" : verdict }
}

const saysWhy = (judged: Verdict): boolean => {
  switch (judged.verdict) {
    case "run":
      return true
    case "ask":
      return judged.why.length > 0 && judged.why.every(({ text }) => text !== "")
    case "refuse":
      return judged.why.text !== ""
  }
}

describe("the gate", () => {
  it("decides every combination of facts by the rules", () => {
    const decidedBy = new Map<string, number>()
    const wrong: unknown[] = []
    forEachCombination((facts) => {
      const { rule, verdict } = expectedOf(facts)
      decidedBy.set(rule, (decidedBy.get(rule) ?? 0) + 1)
      const judged = gate(facts)
      if ((judged.verdict !== verdict || !saysWhy(judged)) && wrong.length < 3) wrong.push({ facts, rule, judged })
    })
    expect(wrong).toEqual([])
    expect([...decidedBy.keys()].toSorted()).toEqual(rules.map(([rule]) => rule).toSorted())
    const product = Object.values(values).reduce((total, each) => total * each.length, 1)
    expect([...decidedBy.values()].reduce((total, count) => total + count, 0)).toBe(product)
  })

  it("asks nobody about a call of a run that asks nobody", () => {
    forEachCombination((facts) => {
      if (facts.approval === "all" && isUndecided(facts) && gate(facts).verdict === "ask")
        throw new Error(JSON.stringify(facts))
    })
  })

  it("refuses every call of an answer that did not end normally, and every call that is switched off, and says why", () => {
    forEachCombination((facts) => {
      for (const over of [{ endProblem: "cut" }, { unavailable: "cut" }, { endProblem: "cut", unavailable: "off" }]) {
        const judged = gate({ ...facts, ...over })
        if (judged.verdict !== "refuse" || !judged.why.text.startsWith("cut"))
          throw new Error(JSON.stringify({ facts, over, judged }))
      }
    })
  })
})

const stricter = (mode: PolicyMode): PolicyMode => (mode === "auto" ? "prompt" : "never")
const lesser = { all: "named", named: "covered", covered: "policy", policy: "policy" } as const
const withProcess =
  (change: Partial<ProcessFacts>) =>
  (facts: CallFacts): CallFacts =>
    facts.process === undefined ? facts : { ...facts, process: { ...facts.process, ...change } }

/** What makes the conditions of a call stricter. None of them may let a call run that did not run without it. */
const restrictions: Readonly<Record<string, (facts: CallFacts) => CallFacts>> = {
  // The one exception: what the worker never allows is a person's decision where the run never allows it either.
  "a stricter policy of the run": (facts) =>
    facts.workerPolicy === "never" ? facts : { ...facts, policy: stricter(facts.policy) },
  "a stricter policy of the worker": (facts) => ({ ...facts, workerPolicy: stricter(facts.workerPolicy) }),
  "a lesser authority of the caller who started the run": (facts) => ({ ...facts, approval: lesser[facts.approval] }),
  "never tools that are rejected": (facts) => ({ ...facts, never: "reject" }),
  "a grant that was lost": ({ grant, ...facts }) =>
    grant === undefined ? facts : { ...facts, grant: { ...grant, covers: false } },
  "a grant that is gone": (facts) => ({ ...facts, grant: undefined }),
  "a sandbox that was lost": withProcess({ confined: false }),
  "a sandbox that is demanded": withProcess({ mustBeConfined: true }),
  "a sandbox that must not be left": withProcess({ mayBeUnconfined: false }),
  // With a person's approval, the sandbox of another run is opened for hosts, and that of a task is not.
  "a sandbox that effects can leave": (facts) =>
    facts.process?.opens === undefined ? withProcess({ isTask: false })(facts) : facts,
  // A grant that covers the call without that does not cover it with that.
  "a call that asks to leave its sandbox": (facts) =>
    withProcess({ opens: "sandbox", confined: false })({ ...facts, grant: undefined }),
  "a call that asks for hosts": (facts) =>
    facts.process?.confined === true ? withProcess({ opens: "hosts" })({ ...facts, grant: undefined }) : facts,
  "a file that was changed": ({ decided, ...facts }) => ({
    ...facts,
    decided: decided.by === "person" ? { ...decided, changes: [...decided.changes, "b.txt was changed"] } : decided,
  }),
  "a path that is protected": (facts) => ({ ...facts, change: { kind: "protected", path: ".envrc" } }),
  "a path that cannot be checked": (facts) => ({ ...facts, change: { kind: "unchecked", why: "unreadable" } }),
  "a decision that did not know of a protected path": ({ decided, ...facts }) => ({
    ...facts,
    decided: decided.by === "person" ? { ...decided, knowsProtected: false } : decided,
  }),
  "an abnormal end of the answer": (facts) => ({ ...facts, endProblem: "the answer was cut" }),
  "a tool that is switched off": (facts) => ({ ...facts, unavailable: "switched off" }),
  "nobody who can be asked": (facts) => ({ ...facts, canAsk: false }),
}

const anyOf = <T>(each: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...each)
const anyFacts: fc.Arbitrary<CallFacts> = fc
  .record({
    policy: anyOf(values.policy),
    workerPolicy: anyOf(values.workerPolicy),
    approval: anyOf(values.approval),
    never: anyOf(values.never),
    process: anyOf([undefined, ...allProcesses]),
    change: anyOf(values.change),
    grant: anyOf(values.grant),
    decided: anyOf(values.decided),
    canAsk: anyOf(values.canAsk),
  })
  .map(toFacts)

describe("a restriction", () => {
  it.each(Object.keys(restrictions))("never lets a call run that did not run without it: %s", (name) => {
    const restrict = restrictions[name]
    if (restrict === undefined) throw new Error("no such restriction")
    fc.assert(
      fc.property(anyFacts, (facts) => {
        fc.pre(gate(facts).verdict !== "run")
        expect(gate(restrict(facts)).verdict).not.toBe("run")
      }),
      { numRuns: isDeep ? 3_000 : 100 },
    )
  })

  it("never does so together with others", () => {
    const several = fc.subarray(Object.values(restrictions), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(anyFacts, several, (facts, chosen) => {
        fc.pre(gate(facts).verdict !== "run")
        // In whatever order they come, the exception is not among them.
        fc.pre(facts.workerPolicy !== "never")
        expect(gate(chosen.reduce((each, restrict) => restrict(each), facts)).verdict).not.toBe("run")
      }),
      { numRuns: isDeep ? 20_000 : 500 },
    )
  })
})
