import type { CliContext } from "../program/cli-context.ts"
import type { TaskHost } from "../host/hosts.ts"
import type { FollowOptions } from "./follow-options.ts"
import { type Followed, followRun } from "./follow-run.ts"
import { erasePauseManifest, keepPauseManifest } from "./keep-pause-manifest.ts"
import { answerPause } from "./prompt/answer-pause.ts"
import { withResumeFlags } from "./resume-flags.ts"
import type { FollowFlags } from "./run-flags.ts"

export interface PersonOptions extends FollowOptions {
  /** Where the pause manifest goes: the session's working directory. */
  readonly cwd: string
  /** Of the command, as it was given. */
  readonly flags: Pick<FollowFlags, "cwd">
}

export interface FollowedWithPerson extends Followed {
  /** The person at the terminal has seen the pause and decides later. */
  readonly isLeft: boolean
}

/**
 * Follows a run until it ends or pauses. At each pause, the person at the terminal is asked, if there is one, and the run is followed again. A script
 * gets the first pause.
 */
export const followWithPerson = async (
  context: CliContext,
  host: TaskHost,
  options: PersonOptions,
): Promise<FollowedWithPerson> => {
  const { io, env, person, interrupts } = context
  let followed = await followRun(context, host, options)
  for (;;) {
    const { document, shownAnswer, interruptedBy } = followed
    if (document?.outcome !== "paused" || interruptedBy !== undefined) return { ...followed, isLeft: false }
    if (person === undefined || context.options.output !== "text") return { ...followed, isLeft: false }
    // A terminal that is closed at the prompt leaves what a script would find.
    await keepPauseManifest(host, options.cwd, withResumeFlags(host, document, options.flags))
    const { last_event_id: afterEvent } = await host.client.inspectTarget(options.sessionId)
    const isAnswered = await answerPause({ io, env, person }, host, { document, shownAnswer })
    if (!isAnswered) return { ...followed, interruptedBy: interrupts.received(), isLeft: true }
    await erasePauseManifest(host, { cwd: options.cwd, id: document.task_id })
    const pendingCalls = document.pause_reason.pending_tool_calls ?? []
    followed = await followRun(context, host, { ...options, afterEvent, pendingCalls, isContinued: true })
  }
}
