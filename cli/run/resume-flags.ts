import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import { shellQuote } from "../../domain/approval/shell-quote.ts"
import type { TaskHost } from "../host/task-host.ts"
import type { FollowFlags } from "./run-flags.ts"

/** Returns the document with the flags of this command at the end of the command that continues the task, so that it finds the task. */
export const withResumeFlags = (
  host: Pick<TaskHost, "placeFlags">,
  document: OutcomeDocument,
  flags: Pick<FollowFlags, "cwd"> = {},
): OutcomeDocument =>
  document.outcome === "paused"
    ? { ...document, resume_hint: [document.resume_hint, ...host.placeFlags(flags.cwd).map(shellQuote)].join(" ") }
    : document
