import { describe, expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { errorSubjects } from "../../../../contracts/error-reason.ts"
import { delegationTools } from "../../../../contracts/delegation/delegation-tools.ts"
import { failureOf } from "../../../../client/remote/server-failure.ts"
import { explain } from "../../../../domain/advice/explain.ts"
import type { Surface } from "../../../../domain/advice/surface.ts"
import { httpFailureOf } from "../../../../http/answers/http-failure.ts"

const tools = delegationTools.map(({ name }) => name)
const elsewhere: readonly Surface[] = [
  { kind: "http" },
  { kind: "chat" },
  { kind: "tool", tools, isTold: true, mayApprove: false },
  { kind: "tool", tools: [], isTold: false, mayApprove: true },
]
const errorAbout = (about: (typeof errorSubjects)[number]) =>
  new AdjutantError("session_not_running", "something is wrong", { reason: { about, task_id: "abc123" } })

describe("the advice of an error", () => {
  it.each(errorSubjects)("is a command on the command line, and names no command elsewhere: %s", (about) => {
    expect(explain(errorAbout(about), { kind: "cli" })).toMatch(/^something is wrong: .*"adjutant /)
    for (const surface of elsewhere) {
      const text = explain(errorAbout(about), surface)
      expect(text).toContain("something is wrong")
      expect(text).not.toMatch(/adjutant|--/)
    }
  })

  it("is absent without a reason", () => {
    const error = new AdjutantError("forbidden", "something is wrong")
    for (const surface of [{ kind: "cli" } as const, ...elsewhere])
      expect(explain(error, surface)).toBe("something is wrong")
  })

  it("is, on a command line that uses a server, that of the command line", () => {
    const { message, code, reason } = httpFailureOf(errorAbout("state"))
    expect(message).toBe("something is wrong: GET /v1/sessions/abc123 shows its state")
    const failure = failureOf("http://localhost", 409, { error: message, code, request_id: "r", reason })
    expect(failure.message).toBe("something is wrong")
    expect(explain(failure, { kind: "cli" })).toBe('something is wrong: run "adjutant info abc123" to see its state')
  })
})
