import type { Fault } from "../../scripts/sabotage/fault.ts"

export const page: readonly Fault[] = [
  {
    name: "a result is shown at an earlier call with the same id",
    file: "web/state/blocks.ts",
    find: `    if (message?.role === "assistant") break\n`,
    replace: "",
  },
  {
    name: "every open call waits for approval while one does",
    file: "web/session/call-state.ts",
    find: "pending.some(({ id }) => id === call.id)",
    replace: "pending.length > 0",
  },
  {
    name: "pieces of an answer that the transcript has are shown again",
    file: "web/state/live-text.ts",
    find: " || seq <= settledSeq",
    replace: "",
  },
  {
    name: "a late piece of an earlier attempt replaces the answer that is being written",
    file: "web/state/live-text.ts",
    find: "live.attempt > at.attempt",
    replace: "live.attempt < 0",
  },
  {
    name: "a link does not say where it leads",
    file: "web/shown/markdown.ts",
    find: `if (host !== "" && hostOf(`,
    replace: `if (host === "" && hostOf(`,
    triedFirst: "test/e2e/web/page.deep.test.ts",
  },
  {
    name: "arguments besides those that are shown specially stay hidden",
    file: "web/shown/call-parts.ts",
    find: "[...parts, ...restOf(without(call.arguments, [...shown, titleKey(call.arguments)]))]",
    replace: "parts.length > 0 ? parts : restOf(without(call.arguments, [titleKey(call.arguments)]))",
  },
  {
    name: "a command is shown without its hidden characters",
    file: "web/shown/call-parts.ts",
    find: "visible(command)",
    replace: "command",
  },
  {
    name: "a key that is held down decides the next call, too",
    file: "web/review/key-rules.ts",
    find: "carryOut(state, place, { isRepeat, nowMs })",
    replace: "carryOut(state, place, { isRepeat: false, nowMs })",
  },
  {
    name: "events are missed while the connection is made again",
    file: "web/api/event-stream.ts",
    find: "        cursor = id ?? cursor\n",
    replace: "",
  },
  {
    name: "a tree in which a sub-agent waits for a person is not shown as one that needs them",
    file: "web/tree/session-forest.ts",
    find: ", ...(childrenOf.get(session.id) ?? []).map(rank))",
    replace: ")",
  },
  {
    name: "a late answer to an earlier question replaces that to the current one",
    file: "web/parts/use-answer.ts",
    find: "if (isCurrent) setState({ answer })",
    replace: "setState({ answer })",
    triedFirst: "test/e2e/web/page-find.deep.test.ts",
  },
]
