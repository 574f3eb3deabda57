import type { Fault } from "../../scripts/sabotage/fault.ts"

export const delegation: readonly Fault[] = [
  {
    name: "the end of another run of a child ends the current one",
    file: "workflows/children/child-reports.ts",
    find: "known?.runId !== report.runId",
    replace: "known === undefined",
    triedFirst: "test/workflow/delegation/open-sessions-continue.test.ts",
  },
  {
    name: "what ended children used does not count against the budget of the run",
    file: "workflows/children/settle-child.ts",
    find: "  run.childrenUsage = addUsage(run.childrenUsage, settled.usage)\n",
    replace: "",
    triedFirst: "test/workflow/delegation/delegation.test.ts",
  },
  {
    name: "the second run of a child counts the usage of its first again",
    file: "activities/delegation/settle-child.ts",
    find: "usedBefore === undefined ? usedSoFar : usageSince(usedSoFar, usedBefore)",
    replace: "usedSoFar",
    triedFirst: "test/workflow/delegation/delegation.test.ts",
  },
  {
    name: "an agent approves a change of a protected path for its sub-agent",
    file: "activities/delegation/control-child.ts",
    find: "change: isProtected === true ?",
    replace: "change: isProtected === undefined ?",
  },
  {
    name: "a message from an agent gives its sub-agent more approval than the agent has",
    file: "activities/delegation/control-child.ts",
    find: ", ...approvalField(delegation.snapshot.approval) }",
    replace: " }",
    triedFirst: "test/workflow/approval/inherited-approval-in-trees.test.ts",
  },
  {
    name: "a session is told the result of a child in another tree",
    file: "activities/transcript/append-rows.ts",
    find: "child?.rootId === own?.rootId ? child : undefined",
    replace: "own === undefined ? undefined : child",
  },
  {
    name: "sub-agents may be one level deeper than the limit",
    file: "domain/delegation/spawn-refusals.ts",
    find: "place.depth >= place.maxDepth",
    replace: "place.depth > place.maxDepth",
  },
  {
    name: "a text closes the tags around it with capital letters",
    file: "domain/text/foreign/fence-data.ts",
    find: ".toLowerCase() === tag",
    replace: " === tag",
    triedFirst: "test/unit/domain/text/foreign/fence-data.test.ts",
  },
  {
    name: "a child takes the session of another one that has its id",
    file: "activities/delegation/spawn/create-child.ts",
    find: `existing?.internal["spawnKey"] === spawnKey`,
    replace: "existing !== undefined",
  },
  {
    name: "a number names the sub-agent of a sub-agent",
    file: "domain/delegation/find-below.ts",
    find: "own.find((row) => row.number === number)",
    replace: "below.find((row) => row.number === number)",
    triedFirst: "test/unit/domain/delegation/find-below.test.ts",
  },
  {
    name: "a full history does not wait for the last child",
    file: "domain/run/next-step.ts",
    find: "position.isHistoryFull === true && position.activeChildren > 0",
    replace: "position.isHistoryFull === true && position.activeChildren > 1",
    triedFirst: "test/limits/full-history.test.ts",
  },
]
