import { describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import type { EngineReport } from "../../../../sessions/engine/engine-moves.ts"
import type { ReconcileReport } from "../../../../sessions/reconcile/run-reconciler.ts"
import { engineReport, reconcileReport, stubEnvironment } from "../stub-environment.ts"

const other: Partial<EngineReport> = {
  answers: { namespace: "staging", namespace_id: "id-2", address: "10.0.0.9:7233", since: null },
  is_same: false,
  known_sessions: 1,
}

const runEngine = async (argv: readonly string[], report: Partial<EngineReport> = {}) => {
  const moves: unknown[] = []
  const engine = {
    show: async () => engineReport(report),
    move: async (actor: unknown) => {
      moves.push(actor)
      return engineReport()
    },
    health: async () => ({ isSame: true, missing: 0, isStopped: false }),
  }
  const stub = stubEnvironment({ client: { engine } })
  const exitCode = await runCli(argv, stub.environment)
  const hostOptions = stub.calls.filter(({ name }) => name === "openHost").map(({ args }) => args[1])
  return { exitCode, moves, hostOptions, ...stub.written }
}

describe("adjutant engine", () => {
  it("shows both engines, and exits with code 1 if they differ", async () => {
    const same = await runEngine(["engine"])
    expect([same.exitCode, same.stdout]).toEqual([0, expect.stringContaining("(the same)")])
    const moved = await runEngine(["engine"], other)
    expect(moved.exitCode).toBe(1)
    for (const part of ["id-1", "id-2", "10.0.0.9:7233", "3, of which", "knows 1"]) expect(moved.stdout).toContain(part)
    expect((await runEngine(["engine"], { ...other, belongs_to: null })).exitCode).toBe(0)
  })

  it("connects to another engine without being refused, and creates no engine", async () => {
    expect((await runEngine(["engine"])).hostOptions).toMatchObject([{ acceptsEngine: "other" }])
    expect((await runEngine(["engine", "move"])).hostOptions).toMatchObject([{ acceptsEngine: "other" }])
  })
})

describe("adjutant engine move", () => {
  it("moves nothing without --accept, and prints what would happen", async () => {
    const { exitCode, moves, stdout } = await runEngine(["engine", "move"], other)
    expect([exitCode, moves]).toEqual([0, []])
    expect(stdout).toContain("--accept")
    expect(stdout).toContain("does not know (2)")
    expect((await runEngine(["engine", "move"], { ...other, known_sessions: 3 })).stdout).toContain("no task ends")
  })

  it("moves with --accept, in the user's name, even to a new engine", async () => {
    const { exitCode, moves, hostOptions } = await runEngine(["engine", "move", "--accept"], other)
    expect([exitCode, moves]).toMatchObject([0, [{ via: "cli" }]])
    expect(hostOptions).toMatchObject([{ acceptsEngine: "new" }])
  })
})

describe("adjutant reconcile", () => {
  const runReconcile = async (argv: readonly string[], report: Partial<ReconcileReport> = {}, hasWorker = true) => {
    const asked: unknown[] = []
    const stub = stubEnvironment({
      client: {
        hasWorker: async () => hasWorker,
        reconcile: async (request) => {
          asked.push(request)
          return reconcileReport(report)
        },
      },
    })
    return { exitCode: await runCli(argv, stub.environment), asked, calls: stub.calls, ...stub.written }
  }

  it("prints the result of the pass as JSON and for people", async () => {
    const json = await runReconcile(["reconcile", "--output", "json"])
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([0, reconcileReport()])
    expect((await runReconcile(["reconcile"], { orphans: 2 })).stdout).toContain("cancelled 2")
  })

  it("lists missing sessions, and exits with code 1 if the pass stopped", async () => {
    const { exitCode, stdout } = await runReconcile(["reconcile"], {
      stopped: "too_many_missing",
      missing_sessions: [{ session_id: "abc123", run_id: "run_1", first_seen_at: "2026-11-21T10:00:00.000Z" }],
    })
    expect(exitCode).toBe(1)
    expect(stdout).toContain("abc123")
    expect(stdout).toContain("adjutant reconcile --accept-missing")
  })

  it("accepts missing sessions or only lists them, but not both", async () => {
    expect((await runReconcile(["reconcile", "--accept-missing"])).asked).toMatchObject([{ acceptMissing: true }])
    expect((await runReconcile(["reconcile", "--dry-run"])).asked).toMatchObject([{ dryRun: true }])
    expect((await runReconcile(["reconcile", "--dry-run", "--accept-missing"])).exitCode).toBe(2)
  })

  it("makes sure that a worker serves the store", async () => {
    const { calls } = await runReconcile(["reconcile"])
    const names = calls.map(({ name }) => name)
    expect(calls.find(({ name }) => name === "handOver")?.args).toEqual([null])
    expect(names.indexOf("handOver")).toBeLessThan(names.indexOf("reconcile"))
  })
})
