import path from "node:path"
import { defineConfig } from "vitest/config"

// The test processes, and those that they start, share compiled code.
// `scripts/verify.ts` sets another folder for a user who cannot write to this one.
const ownCache = process.env["ADJUTANT_TEST_CACHE"]
process.env["NODE_COMPILE_CACHE"] ??= path.resolve(ownCache ?? "node_modules/.cache", "compile")

/** Two of everything that is heavy: the tests share the machine with a Temporal server and the processes they start. */
const maxWorkers = 2

/** Limits of tests, and of states that they wait for. They only stop a hang; nothing waits for them. */
const hangGuard = { testTimeout: 120_000, hookTimeout: 180_000, teardownTimeout: 30_000, pollTimeout: 60_000 }

/**
 * Retries: tests share the machine with databases, programs and Temporal servers, and on a shared CI machine one test that was slow once does
 * not fail the run. `npm test` names each test that needed it. Locally a test that fails now and then has to be seen.
 */
const retry = process.env["CI"] === undefined ? 0 : 1

const globalPostgres = "./test/helpers/store/global-postgres.ts"
const globalTemporal = "./test/helpers/engine/global-temporal.ts"
/** These replay the histories that a test file recorded, and stop a process whose event loop is blocked. */
const setupFiles = ["./test/helpers/engine/setup-replays.ts", "./test/helpers/setup-watchdog.ts"]

/** Tests that start programs but no Temporal server. */
const processes = ["test/unit/**/*.process.test.ts"]
/** Slow tests, which only `npm run test:full` runs, in addition to all others. */
const full = ["test/**/*.full.test.ts"]
/** Complete scenarios on an engine with small limits; `npm run test:full` runs them, too. */
const limits = ["test/limits/**/*.test.ts"]

/** Tests against real providers, which cost money: `npm run test:smoke`. */
const smoke = {
  extends: true as const,
  test: {
    name: "smoke",
    include: ["test/smoke/**/*.test.ts"],
    testTimeout: 300_000,
    maxWorkers: 1,
    sequence: { groupOrder: 5 },
  },
}

export default defineConfig({
  ...(ownCache === undefined ? {} : { cacheDir: ownCache }),
  test: {
    maxWorkers,
    teardownTimeout: hangGuard.teardownTimeout,
    expect: { poll: { timeout: hangGuard.pollTimeout } },
    fsModuleCache: true,
    // One module graph for all files of a worker: loading it again for each file took longer than most tests.
    isolate: false,
    coverage: {
      include: [
        "{contracts,domain,workflows,activities,models,mcp-client,tools,store,engine,config,server,client,worker,http,mcp,cli}/**/*.ts",
      ],
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          retry,
          include: ["test/unit/**/*.test.ts", "test/regression/**/*.test.ts"],
          exclude: ["test/regression/**/*.{workflow,e2e}.test.ts", ...processes, ...full],
          globalSetup: [globalPostgres],
          testTimeout: hangGuard.testTimeout,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          retry,
          include: processes,
          globalSetup: [globalPostgres],
          testTimeout: hangGuard.testTimeout,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "workflow",
          retry,
          include: ["test/workflow/**/*.test.ts", "test/regression/**/*.workflow.test.ts"],
          exclude: full,
          globalSetup: [globalTemporal],
          setupFiles,
          testTimeout: hangGuard.testTimeout,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          retry,
          include: ["test/e2e/**/*.test.ts", "test/regression/**/*.e2e.test.ts"],
          exclude: full,
          globalSetup: [globalTemporal],
          setupFiles,
          testTimeout: 300_000,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "full",
          retry,
          include: full,
          globalSetup: [globalPostgres, globalTemporal],
          setupFiles,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers,
          sequence: { groupOrder: 3 },
        },
      },
      ...(process.env["ADJUTANT_SMOKE"] === "1" ? [smoke] : []),
      {
        extends: true,
        test: {
          name: "limits",
          retry,
          include: limits,
          setupFiles,
          testTimeout: 600_000,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
