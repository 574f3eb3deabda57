import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execa } from "execa"
import { afterEach, describe, expect, it } from "vitest"
import { schemathesisProgram } from "../../../scripts/schemathesis-program.ts"
import { fakeModel } from "../../helpers/fake-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http-harness.ts"

const { program } = schemathesisProgram(process.env)
const isInstalled = existsSync(program)
if (!isInstalled)
  console.log("schemathesis is not installed (node scripts/ensure-schemathesis.ts): its test is skipped")

let harness: HttpHarness
afterEach(() => harness.close())

const model = fakeModel((_, turn) => (turn === 1 ? { calls: [["LS", {}]] } : { text: "Done." }))
const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
const plenty = { requestsPerMinute: 1_000_000, refusalsPerMinute: 1_000_000 }

describe("the OpenAPI document", () => {
  it("names every route of the API, in version 3.1, with the shape of its errors", async () => {
    harness = await openHttpHarness({ model, worker: false })
    const { body } = await harness.get("/openapi.json")
    expect(body.openapi).toBe("3.1.0")
    const routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(routes).toEqual(
      expect.arrayContaining([
        "post /v1/sessions",
        "get /v1/sessions",
        "get /v1/sessions/{id}",
        "delete /v1/sessions/{id}",
        "get /v1/sessions/{id}/messages",
        "post /v1/sessions/{id}/messages",
        "get /v1/sessions/{id}/tree",
        "get /v1/sessions/{id}/events",
        "get /v1/sessions/{id}/tools/pending",
        "post /v1/sessions/{id}/tools/decisions",
        "post /v1/sessions/{id}/cancel",
        "post /v1/sessions/{id}/model",
        "post /v1/sessions/{id}/fork",
        "get /v1/approvals",
        "get /v1/approvals/{token}",
        "post /v1/approvals/{token}",
        "post /v1/hooks/{name}",
      ]),
    )
    const failure = body.paths["/v1/sessions/{id}"].get.responses["4XX"].content["application/json"].schema
    expect(Object.keys(failure.properties)).toEqual(["error", "code", "request_id"])
  })

  it.skipIf(!isInstalled)("holds against whatever schemathesis makes of it: no answer of 500 and above", async () => {
    harness = await openHttpHarness({ model }, { limits: plenty })
    const report = await mkdtemp(join(tmpdir(), "adjutant-schemathesis-"))
    const stream = "/v1/sessions/{id}/events"
    const run = await execa(
      program,
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
        ...["--request-timeout", "20", "--continue-on-failure", "--warnings", "off"],
      ],
      { cwd: report, reject: false, all: true, timeout: 110_000, env: { NO_COLOR: "1" } },
    )
    await rm(report, { recursive: true, force: true })
    expect(run.exitCode, run.all).toBe(0)
  })
})
