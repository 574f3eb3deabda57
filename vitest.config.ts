import { defineConfig } from "vitest/config"

/** Two of everything that is heavy: the tests share the machine with a Temporal server and the processes they start. */
const maxWorkers = 2

/** Limits for tests that talk to real processes. They only stop a hang; nothing waits for them. */
const hangGuard = { testTimeout: 120_000, hookTimeout: 180_000, teardownTimeout: 30_000 }

const globalPostgres = "./test/helpers/global-postgres.ts"
/** In CI a test that talks to real processes may try again: the machine may be busy. What needed it is reported as flaky. */
const retry = process.env["CI"] === undefined ? 0 : 2

const globalTemporal = "./test/helpers/global-temporal.ts"

export default defineConfig({
  test: {
    maxWorkers,
    teardownTimeout: hangGuard.teardownTimeout,
    coverage: {
      include: [
        "{contracts,domain,workflows,activities,models,mcp-client,tools,store,config,server,client,worker,http,mcp,cli}/**/*.ts",
      ],
    },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/regression/**/*.test.ts"],
          exclude: ["test/regression/**/*.{workflow,e2e}.test.ts"],
          globalSetup: [globalPostgres],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "workflow",
          include: ["test/workflow/**/*.test.ts", "test/regression/**/*.workflow.test.ts"],
          globalSetup: [globalTemporal],
          retry,
          testTimeout: hangGuard.testTimeout,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/regression/**/*.e2e.test.ts"],
          retry,
          testTimeout: 300_000,
          hookTimeout: hangGuard.hookTimeout,
          maxWorkers,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
