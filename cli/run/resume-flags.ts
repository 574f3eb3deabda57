import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { TaskHost } from "../host/hosts.ts"
import { withWords } from "../program/place-flags.ts"
import type { FollowFlags } from "./run-flags.ts"

/** Adds to the resume command in the document the flags with which it finds the task again. */
export const withResumeFlags = (
  host: Pick<TaskHost, "placeFlags">,
  document: OutcomeDocument,
  flags: Pick<FollowFlags, "cwd"> = {},
): OutcomeDocument =>
  document.outcome === "paused"
    ? { ...document, resume_hint: withWords(document.resume_hint, host.placeFlags(flags.cwd)) }
    : document
