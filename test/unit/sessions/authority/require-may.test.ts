import { expect, it } from "vitest"
import { configSchema } from "../../../../contracts/config/config.ts"
import { requireMayApprove } from "../../../../sessions/authority/require-may.ts"

const config = configSchema.parse({
  people: { ana: { token: "ops", may: { approve: ["Bash"], profiles: ["reviewer"] } } },
})
const actor = { by: "ops", via: "http", identity: { kind: "token", id: "ops" } } as const
const approve = (delegation: "none" | "sessions", wanted: string[] | boolean = ["Bash"]) =>
  requireMayApprove({ config }, { actor, auto_approve: wanted, run: { agent: "reviewer", delegation } })

it("lets a limited person approve beforehand what may names, for a run without sub-agents", () => {
  expect(() => approve("none")).not.toThrow()
  expect(() => approve("sessions", false)).not.toThrow()
  expect(() => approve("none", true)).toThrow("people.ana.may does not name them")
})

it("refuses that for a run whose sub-agents of other profiles would inherit it", () => {
  expect(() => approve("sessions")).toThrow("auto_approve for Bash of * requires the right to decide about such calls")
})
