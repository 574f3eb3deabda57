import { expect, it } from "vitest"
import { startDetail } from "../../../../sessions/audit/start-detail.ts"

const tools = ["Read", "Bash"]

it("names the tools whose calls nobody decides", () => {
  expect(startDetail({ approval: "all", tools })).toEqual({ approval: "all", waived: tools })
  expect(startDetail({ approval: ["Bash"], tools })).toEqual({ approval: ["Bash"] })
  expect(startDetail({ approval: "policy", tools })).toEqual({ approval: "policy" })
})
