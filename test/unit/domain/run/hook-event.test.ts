import { describe, expect, it } from "vitest"
import { hookEventOf, verdictOfProgram, verdictOfResponse } from "../../../../domain/run/hook-event.ts"

const program = (exitCode: number | null, stdout = "", stderr = "") =>
  verdictOfProgram({
    exitCode,
    stdout,
    stderr,
    how: exitCode === null ? "it was ended by SIGKILL" : `exit code ${exitCode}`,
  })

describe("the verdict of a hook program", () => {
  it.each([
    ["allows by exit code 0", program(0), { verdict: "allow" }],
    ["allows whatever else it prints", program(0, "all is well"), { verdict: "allow" }],
    ["allows for any other decision", program(0, '{"decision":"approve"}'), { verdict: "allow" }],
    [
      "blocks by exit code 2, with its output as the reason",
      program(2, "", " not now\n"),
      { verdict: "block", reason: "not now" },
    ],
    ["blocks by exit code 2 without output", program(2), { verdict: "block", reason: "no reason was given" }],
    ["blocks by its answer", program(0, '{"decision":"block","reason":"no"}'), { verdict: "block", reason: "no" }],
    [
      "blocks without a reason",
      program(0, '{"decision":"block"}'),
      { verdict: "block", reason: "no reason was given" },
    ],
    ["is broken by another exit code", program(1, "", "oops"), { verdict: "broken", reason: "exit code 1: oops" }],
    ["is broken by a signal", program(null), { verdict: "broken", reason: "it was ended by SIGKILL" }],
    [
      "is broken, and does not block, if it crashes in the middle of its answer",
      program(1, '{"decision":"block"}'),
      { verdict: "broken", reason: "exit code 1" },
    ],
  ])("%s", (_, verdict, expected) => {
    expect(verdict).toEqual(expected)
  })
})

describe("the verdict of a hook URL", () => {
  it.each([
    [200, "", { verdict: "allow" }],
    [204, "", { verdict: "allow" }],
    [200, '{"decision":"block","reason":"no"}', { verdict: "block", reason: "no" }],
    [403, '{"decision":"block","reason":"no"}', { verdict: "block", reason: "no" }],
    [403, "", { verdict: "broken", reason: "it returned HTTP status 403" }],
    [302, "", { verdict: "broken", reason: "it returned HTTP status 302" }],
  ])("with status %i and body %j", (status, body, expected) => {
    expect(verdictOfResponse({ status, body })).toEqual(expected)
  })
})

it("hook points are named after the agent's type", () => {
  expect(hookEventOf("mcp-bridge", "before")).toBe("agent:mcp-bridge-before-execute")
})
