import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { TaskHost } from "../host/hosts.ts"
import { withWords } from "../program/place-flags.ts"
import type { FollowFlags } from "./run-flags.ts"

/** Returns the document with the flags of this command at the end of the command that continues the task, so that it finds the task. */
export const withResumeFlags = (
  host: Pick<TaskHost, "placeFlags">,
  document: OutcomeDocument,
  flags: Pick<FollowFlags, "cwd"> = {},
): OutcomeDocument =>
  document.outcome === "paused"
    ? { ...document, resume_hint: withWords(document.resume_hint, host.placeFlags(flags.cwd)) }
    : document
