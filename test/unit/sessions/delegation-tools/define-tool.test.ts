import { describe, expect, it } from "vitest"
import { z } from "zod"
import { parseArguments } from "../../../../sessions/delegation-tools/define-tool.ts"

const schema = z.strictObject({ task: z.string(), limit: z.number().optional(), ids: z.array(z.string()).optional() })

describe("the arguments of a delegation tool", () => {
  it.each([
    [
      { task: "x", limit: "3", ids: '["a"]' },
      { task: "x", limit: 3, ids: ["a"] },
    ],
    [{ task: "x", limit: null, ids: "" }, { task: "x" }],
    [
      { task: "", limit: 1 },
      { task: "", limit: 1 },
    ],
  ])("are read as a model writes them: %j", (args, value) => {
    expect(parseArguments(schema, args)).toEqual({ ok: true, value })
  })

  it("are refused with a key that the tool does not have: it may have been a limit", () => {
    expect(parseArguments(schema, { task: "x", limit: "3", maxCost: 1 })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/unknown key: "maxCost"; its arguments are task, limit, ids$/),
    })
    expect(parseArguments(schema, { task: "x", limits: 3 })).toMatchObject({
      problem: expect.stringContaining('unknown key: "limits" (did you mean limit?)'),
    })
    expect(parseArguments(schema, [])).toMatchObject({ ok: false })
  })
})
