import type { Fault } from "../../scripts/sabotage/fault.ts"

export const mcp: readonly Fault[] = [
  {
    name: "a client reaches the tasks of other callers",
    file: "mcp/find-session.ts",
    find: "if (await context.client.isOf(taskId, caller)) return taskId",
    replace: "if (await exists(context, taskId)) return taskId",
  },
  {
    name: "a client of a server that accepts no approvals can approve",
    file: "mcp/create-mcp-server.ts",
    find: `approval: noApprove ? "policy" : "all"`,
    replace: `approval: "all"`,
    triedFirst: "test/e2e/mcp/no-approve.deep.test.ts",
  },
  {
    name: "a client that can only read calls tools that change something",
    file: "mcp/create-mcp-server.ts",
    find: "if (!offered.some((tool) => tool.name === params.name)) return toCallResult(mayOnlyRead(params.name))",
    replace: "",
    triedFirst: "test/e2e/mcp/http.test.ts",
  },
  {
    name: "a person is asked again about what they left open",
    file: "mcp/tools/await-sessions.ts",
    find: "[...state.dismissed, ...dismissed, ...refused]",
    replace: "[...dismissed, ...refused]",
    triedFirst: "test/unit/mcp/await-sessions.test.ts",
  },
  {
    name: "a question of a server is given to the oldest call that runs",
    file: "mcp-client/connection/call-turns.ts",
    find: "inFlight.size === 1 && only !== undefined",
    replace: "only !== undefined",
  },
  {
    name: "the answer to a second question replaces that to the first",
    file: "mcp-client/call-question.ts",
    find: "answers: [...state.answers, read.answer]",
    replace: "answers: [read.answer]",
  },
  {
    name: "a server that is not trusted says which of its tools are read-only",
    file: "mcp-client/mcp-tool.ts",
    find: "readOnly: saysReadOnly && source.trustsReadOnlyHint",
    replace: "readOnly: saysReadOnly",
  },
  {
    name: "runs with different environments share the program of a server",
    file: "mcp-client/mcp-servers.ts",
    find: "JSON.stringify([name, config, allow])",
    replace: "JSON.stringify([name, config])",
    triedFirst: "test/unit/mcp-client/mcp-servers.process.test.ts",
  },
  {
    name: "a call that failed in the server is a result like any other",
    file: "mcp-client/mcp-tool.ts",
    find: "...(result.isError === true ? { isError: true } : {}),",
    replace: "",
  },
]
