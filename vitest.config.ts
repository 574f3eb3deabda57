import { tmpdir } from "node:os"
import path from "node:path"
import { defineConfig } from "vitest/config"

// The test processes, and those that they start, share compiled code.
// A copy of the checkout whose `node_modules` is a link names a folder of its own.
const ownCache = process.env["ADJUTANT_TEST_CACHE"]
process.env["NODE_COMPILE_CACHE"] ??= path.resolve(ownCache ?? "node_modules/.cache", "compile")

// Tests never write to the developer's own state. The name is short, because sockets have short paths.
process.env["XDG_STATE_HOME"] = path.join(tmpdir(), `adj-${process.pid}`)

/** Two of everything that is heavy: the tests share the machine with a Temporal server and the processes they start. */
const maxWorkers = 2

/** Limits of tests, and of states that they wait for. They only stop a hang; nothing waits for them. */
const hangGuard = { testTimeout: 120_000, hookTimeout: 180_000, teardownTimeout: 30_000, pollTimeout: 60_000 }

/**
 * In CI, a test that fails is tried again: the machine is shared, and one test that was slow once does not fail the run. It is named, and more
 * than one fail the run (scripts/checks/summary.ts, .ci/count.sh).
 */
const retry = process.env["CI"] === undefined ? 0 : 1
/** A run that fails so often ends: its other tests would wait for the same missing thing, each up to its limit. */
const bail = process.env["CI"] === undefined ? 0 : 12

const globalState = "./test/helpers/global-state.ts"
const globalPostgres = "./test/helpers/store/global-postgres.ts"
const globalTemporal = "./test/helpers/engine/global-temporal.ts"
/** These keep promises cheap, replay the histories that a test file recorded, and stop a process whose event loop is blocked. */
const setupFiles = [
  "./test/helpers/engine/setup-promise-hooks.ts",
  "./test/helpers/engine/setup-replays.ts",
  "./test/helpers/setup-watchdog.ts",
]

/** Tests that start programs but no Temporal server. */
const processes = ["test/unit/**/*.process.test.ts"]
/** What is long by nature: `npm run test:deep` runs a shard of these, and each landing one. */
const deep = ["test/**/*.deep.test.ts", "test/limits/**/*.test.ts"]
/** Tests that open stores, sockets or servers of their own. */
const io = [
  "test/unit/{activities,http,service,sessions,store,tooling,worker}/**/*.test.ts",
  "test/unit/cli/reading/*.test.ts",
]

const common = { retry, maxWorkers, testTimeout: hangGuard.testTimeout, hookTimeout: hangGuard.hookTimeout }

/** Tests against real providers, which cost money: `npm run test:smoke`. */
const smoke = {
  extends: true as const,
  test: {
    name: "smoke",
    include: ["test/smoke/**/*.test.ts"],
    testTimeout: 300_000,
    maxWorkers: 1,
    sequence: { groupOrder: 4 },
  },
}

export default defineConfig({
  ...(ownCache === undefined ? {} : { cacheDir: ownCache }),
  test: {
    maxWorkers,
    bail,
    teardownTimeout: hangGuard.teardownTimeout,
    reporters: ["default", "./scripts/times/time-reporter.ts", "./scripts/times/hang-guard.ts"],
    expect: { poll: { timeout: hangGuard.pollTimeout } },
    fsModuleCache: true,
    // One module graph for all files of a worker: loading it again for each file took longer than most tests.
    isolate: false,
    coverage: {
      include: [
        "{contracts,domain,network,workflows,activities,models,mcp-client,tools,store,engine,config,server,client,worker,http,mcp,service,cli}/**/*.ts",
      ],
    },
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: "unit",
          globalSetup: [globalState, ...(process.env["ADJUTANT_TEST_STORE"] === "postgres" ? [globalPostgres] : [])],
          include: ["test/unit/**/*.test.ts"],
          exclude: [...io, ...processes, ...deep],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "io",
          include: io,
          exclude: [...processes, ...deep],
          globalSetup: [globalState, globalPostgres],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "process",
          include: processes,
          exclude: deep,
          globalSetup: [globalState, globalPostgres],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "workflow",
          include: ["test/workflow/**/*.test.ts"],
          exclude: deep,
          globalSetup: [globalState, globalPostgres, globalTemporal],
          setupFiles,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: deep,
          globalSetup: [globalState, globalTemporal],
          setupFiles,
          testTimeout: 180_000,
          // The two run side by side: no process waits for the longest file of the other.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...common,
          name: "deep",
          include: deep,
          globalSetup: [globalState, globalPostgres, globalTemporal],
          setupFiles,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 3 },
        },
      },
      ...(process.env["ADJUTANT_SMOKE"] === "1" ? [smoke] : []),
    ],
  },
})
