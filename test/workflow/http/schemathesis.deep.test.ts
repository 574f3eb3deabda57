import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execa } from "execa"
import { afterEach, describe, expect } from "vitest"
import { maxOutcomeWaitSeconds } from "../../../contracts/http/session-events.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { testWith } from "../../helpers/needs.ts"
import { pythonProgram } from "../../helpers/python-program.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"

const schemathesis = pythonProgram("schemathesis")

let harness: HttpHarness
afterEach(() => harness.close())

const model = createFakeModel((_, turn) => (turn === 1 ? { calls: [["LS", {}]] } : { text: "Done." }))
const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
const plenty = { requestsPerMinute: 1_000_000, refusalsPerMinute: 1_000_000 }

describe("the HTTP API", () => {
  testWith([schemathesis], "answers no generated request of schemathesis with a status of 500 or above", async () => {
    harness = await openHttpHarness({ model }, { limits: plenty })
    const report = await mkdtemp(join(tmpdir(), "adjutant-schemathesis-"))
    const stream = "/v1/sessions/{id}/events"
    const run = await execa(
      schemathesis.program,
      [
        ...["run", `${harness.url}/openapi.json`, "--checks", checks, "--exclude-path", stream],
        ...[
          "--phases",
          "examples,coverage,fuzzing,stateful",
          "--max-examples",
          "25",
          "--max-time",
          "40",
          "--seed",
          "7",
        ],
        ...["--request-timeout", String(maxOutcomeWaitSeconds + 10), "--continue-on-failure", "--warnings", "off"],
      ],
      { cwd: report, reject: false, all: true, timeout: 170_000, env: { NO_COLOR: "1" } },
    )
    await rm(report, { recursive: true, force: true })
    expect(run.exitCode, run.all).toBe(0)
  })
})
