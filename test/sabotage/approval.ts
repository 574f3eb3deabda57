import type { Fault } from "../../scripts/sabotage/fault.ts"

export const approval: readonly Fault[] = [
  {
    name: "a decision for an earlier checkpoint is applied to the open one",
    file: "domain/approval/apply-decision.ts",
    find: "decide.checkpoint_id !== pause.checkpointId",
    replace: `decide.checkpoint_id === ""`,
  },
  {
    name: "an approval of all calls includes those that change protected paths",
    file: "domain/approval/apply-decision.ts",
    find: `isProtected === true && all?.action === "accept"`,
    replace: `isProtected === true && all?.action === "reject"`,
  },
  {
    name: "a second decision replaces a contrary first one",
    file: "domain/approval/apply-decision.ts",
    find: `(before !== decision.action || before === "edit")`,
    replace: `before === "edit"`,
  },
  {
    name: "a run is bound by the policy of its parent, but not by those further up",
    file: "domain/approval/tool-policy.ts",
    find: "strictest([run.policy, ...run.inheritedPolicies]",
    replace: "strictest([run.policy, ...run.inheritedPolicies.slice(0, 1)]",
  },
  {
    name: "a short pattern of a policy takes precedence over the exact name of a tool",
    file: "domain/approval/tool-policy.ts",
    find: "specificity(right) - specificity(left)",
    replace: "specificity(left) - specificity(right)",
  },
  {
    name: "a grant for the first words of a command covers what is composed after them",
    file: "domain/approval/grant-patterns.ts",
    find: "plainWords.test(command.slice(prefix.length))",
    replace: "plainWords.test(prefix)",
  },
  {
    name: "a grant covers arguments that it has no pattern for",
    file: "domain/approval/grant-terms.ts",
    find: "named.includes(name) || coversOther(name, terms, call))",
    replace: `named.includes(name) || name !== "")`,
  },
  {
    name: "a grant for hosts covers the whole network",
    file: "domain/approval/grant-terms.ts",
    find: '|| opens === "network"',
    replace: "",
  },
  {
    name: "a revoked grant still covers calls",
    file: "activities/approval/granted-calls.ts",
    find: "store.grants.listActive(sessionId)",
    replace: "store.grants.list(sessionId)",
  },
  {
    name: "the signature of a decision does not contain what its sender may approve",
    file: "sessions/decide/sign-decision.ts",
    find: "via ?? null, approval ?? null]",
    replace: "via ?? null]",
  },
  {
    name: "a signature of the right length counts as the store's",
    file: "sessions/authority/store-signature.ts",
    find: "given.length === expected.length && timingSafeEqual(given, expected)",
    replace: "given.length === expected.length",
  },
  {
    name: "an answer that was written for the pause before is applied to the open one",
    file: "sessions/decide/require-seen.ts",
    find: " && !(await wasOtherOpen(store, pause.sessionId, seenAtMs))",
    replace: "",
  },
  {
    name: "edited arguments that change another protected path than before run without a question",
    file: "activities/approval/check-edits.ts",
    find: "edit.isProtected && hasSameFiles(checking, before, after)",
    replace: "edit.isProtected",
  },
  {
    name: "a call that only its worker asks about runs",
    file: "domain/approval/gate.ts",
    find: "strictest([policy, workerPolicy])",
    replace: "strictest([policy])",
  },
  {
    name: "a grant lets a command run outside a sandbox",
    file: "domain/approval/gate.ts",
    find: "if (grant !== undefined && losesSandbox(facts))",
    replace: "if (grant?.covers === false && losesSandbox(facts))",
  },
  {
    name: "a call whose protected path could not be checked runs",
    file: "activities/approval/call-facts.ts",
    find: `{ kind: "unchecked", why: errorMessage(error) }`,
    replace: `{ kind: "free" }`,
  },
  {
    name: "a call whose file was changed after its approval runs",
    file: "activities/approval/call-facts.ts",
    find: "[...since, ...changes]",
    replace: "[...changes]",
  },
  {
    name: "a call whose MCP server describes the tool otherwise by now runs",
    file: "activities/approval/watched-tool.ts",
    find: "if (shown.sha256 === now.sha256) return undefined",
    replace: "return undefined",
  },
  {
    name: "a command that was approved without a preview runs outside a sandbox",
    file: "activities/approval/changes-since-shown.ts",
    find: "isPreviewed !== true && !dependsOnPlace(present)",
    replace: "isPreviewed !== true",
  },
  {
    name: "a call that runs by a grant writes where a link leads since",
    file: "tools/files/confined-path.ts",
    find: "grantedPath !== undefined && real !== resolve(cwd, grantedPath)",
    replace: `grantedPath === "" && real !== resolve(cwd, grantedPath)`,
  },
]
