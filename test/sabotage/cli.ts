import type { Fault } from "../../scripts/sabotage/fault.ts"

export const cli: readonly Fault[] = [
  {
    name: "calls that a decision does not name stay pending",
    file: "cli/run/apply-resumption.ts",
    find: `unlisted: "reject"`,
    replace: `unlisted: "pending"`,
  },
  {
    name: "a decision without a checkpoint is for whichever pause is open when it arrives",
    file: "cli/run/apply-resumption.ts",
    find: `session.checkpoint_id !== null ? { checkpointId: session.checkpoint_id } : {}`,
    replace: `session.checkpoint_id !== null ? {} : {}`,
  },
  {
    name: "a call that is named to be approved runs although all are rejected",
    file: "cli/run/decision-flags.ts",
    find: "rejectsAll ? rejection : approval",
    replace: "approval",
  },
  {
    name: "a run that is paused ends with the exit code of one that is completed",
    file: "cli/terminal/exit-code.ts",
    find: "paused: 10",
    replace: "paused: 0",
  },
  {
    name: "a signal that arrives twice ends the program at once",
    file: "cli/terminal/interrupts.ts",
    find: "options.now() - first.atMs >= options.echoMs",
    replace: "options.now() - first.atMs >= 0",
  },
  {
    name: "a person decides about a text whose hidden characters are not shown",
    file: "cli/terminal/plain-text.ts",
    find: "=> visible(text",
    replace: "=> withoutUnseen(text",
  },
  {
    name: "a quote ends a word of a printed command",
    file: "domain/text/shell-quote.ts",
    find: "word.replaceAll(\"'\", `'\\\\''`)",
    replace: "word",
  },
  {
    name: "answers to the calls of several pauses are sent to another pause",
    file: "cli/run/prompt/answer-pause.ts",
    find: "answers.push({ call, owner, ...answer })",
    replace: "answers.push({ call, owner: calls[0]?.owner ?? owner, ...answer })",
  },
  {
    name: "calls that were answered before a person stops are decided",
    file: "cli/run/prompt/answer-pause.ts",
    find: 'if (answer.kind === "later") return undefined\n',
    replace: 'if (answer.kind === "later") break\n',
  },
  {
    name: "a signal cancels a run that must be left to other workers",
    file: "cli/run/follow-run.ts",
    find: `    if (onInterrupt === "leave" || interrupts.received() === "SIGHUP") return undefined\n`,
    replace: "",
    triedFirst: "test/e2e/service/detached.test.ts",
  },
  {
    name: "a printed command finds its data directory only in the same directory",
    file: "cli/program/place-flags.ts",
    find: "path.resolve(cwd, dataDir)",
    replace: "dataDir",
  },
]
