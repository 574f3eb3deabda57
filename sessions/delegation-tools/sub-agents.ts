import type { GeneralDecision } from "../../contracts/approval/decision.ts"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { Status } from "../../contracts/status.ts"
import type { Surface } from "../../domain/advice/surface.ts"
import type { Listed, SpawnableAgent } from "../../domain/delegation/answers/list-answers.ts"
import type { Stopped } from "../../domain/delegation/answers/stopped-answer.ts"
import type { DecidedTree } from "../../domain/delegation/answers/resumed-answer.ts"
import type { ResumePlan } from "../../domain/delegation/plan-resume.ts"
import type { SentMessage } from "../../domain/delegation/answers/sent-answer.ts"
import type { Waited } from "../../domain/delegation/task/wait-result.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task/task-table.ts"
import type { HistoryRow } from "../../domain/transcript/sanitise-history.ts"
import type { Sent } from "../send-request.ts"
import type { SpawnCall, SpawnOutcome } from "../spawn/spawn-request.ts"
import type { TaskReport } from "../view/task-report.ts"

/** An answer that is known now, or what has to happen first. What that is depends on the caller: an agent's workflow waits for it, a client asks for it. */
export type Reply<Value, Later> =
  | { readonly kind: "now"; readonly value: Value }
  | { readonly kind: "later"; readonly later: Later }

export const replyNow = <Value>(value: Value): { readonly kind: "now"; readonly value: Value } => ({
  kind: "now",
  value,
})
export const replyLater = <Later>(given: Later): { readonly kind: "later"; readonly later: Later } => ({
  kind: "later",
  later: given,
})

/** How many of a caller's own sub-agents a list contains. */
export const mostOwn = 200

/** What the caller wants with the sub-agent that it names. `checkpointId`: the caller named this checkpoint of the task, too. */
export type NameUse =
  | { readonly for: "task"; readonly checkpointId?: string | undefined }
  | { readonly for: "managing" }
  | { readonly for: "reading" }
  /** To list the sub-agents of the named session, which can be the caller itself. */
  | { readonly for: "listing" }

/** Which sessions a list contains. */
export interface ListOptions {
  readonly status?: Status | undefined
  /** The sub-agents of this session only. */
  readonly parentId?: string | undefined
  readonly archived?: boolean | undefined
  readonly limit: number
}

export interface ListedPage {
  /** Newest first. */
  readonly sessions: readonly Listed[]
  /** Whether there are older ones. */
  readonly isCut: boolean
  readonly cursor: string | null
}

/** A message to a sub-agent. `message` starts a run or answers a question; `follow_up` can also wait for the end of the run. */
export interface MessageTo {
  readonly id: string
  readonly text: string
  readonly type: "message" | "follow_up" | "steering"
  readonly checkpointId?: string | undefined
}

/** Returns what a message did. If sending it did not say: a steering message has steered the run, any other waits for its end. */
export const sentMessage = (
  { type }: Pick<MessageTo, "type">,
  { runId, state, effect = type === "steering" ? "steered" : "queued" }: Sent,
): SentMessage => ({ runId, state, effect })

/** A decision on the calls of a sub-agent, at this checkpoint and no other. */
export interface DecisionFor extends Omit<Extract<ResumePlan, { readonly kind: "decide" }>, "kind"> {
  readonly id: string
  readonly checkpointId: string
}

/** A decision on what a task's checkpoint showed of its tree: all of it, or calls named `<task_id>/<call id>`. What is not named stays pending. */
export interface TreeDecision {
  readonly id: string
  readonly checkpointId: string
  readonly all?: GeneralDecision
  readonly decisions: Readonly<Record<string, GeneralDecision>>
}

/** What was approved by a caller that may approve nothing. */
export interface RefusedApproval {
  readonly id: string
  readonly checkpointId: string | undefined
  readonly calls: "all" | readonly string[]
}

/**
 * What the delegation tools can do for their caller: an agent in a run, a client from outside, or a person in a thread. Refusals are thrown as
 * `DelegationRefusal`.
 */
export interface SubAgents<Later> {
  readonly surface: Surface
  /** Returns the id of the sub-agent that a name means; undefined if it means none that the caller reaches. */
  find(name: string, use: NameUse): Promise<string | undefined>
  facts(id: string): Promise<TaskFacts>
  detail(id: string): Promise<SessionDetail>
  history(id: string): Promise<readonly HistoryRow[]>
  /** Returns the newest tasks that it manages, newest first, at most `most`. */
  tasks(most: number): Promise<readonly TaskRow[]>
  list(options: ListOptions): Promise<ListedPage>
  /** Returns those that it started itself, in that order, and whether older ones are left out. */
  own(): Promise<Pick<ListedPage, "sessions" | "isCut">>
  /** Returns the profiles that it may spawn. */
  profiles(): Promise<readonly SpawnableAgent[]>
  /** Returns the settings of a profile, without secrets. */
  profile(id: string): Promise<unknown>
  send(message: MessageTo): Promise<Reply<SentMessage, Later>>
  /** Stops a sub-agent with everything below it. Returns its status, which is not yet final if the end is still awaited. */
  cancel(id: string): Promise<Stopped>
  /** Returns those of its sub-agents that can be stopped. */
  stoppable(): Promise<readonly string[]>
  /** Returns those of its sub-agents that are not final. */
  open(): Promise<readonly string[]>
  wait(wait: {
    readonly ids: readonly string[]
    readonly timeoutSeconds?: number | undefined
  }): Promise<Reply<Waited, Later>>
  /** Returns whether only a person may approve this call of a sub-agent. */
  needsPerson(call: PendingToolCall): boolean
  /** Returns the id of the run that continues. */
  decide(decision: DecisionFor): Promise<{ readonly runId: string }>
  /** Decides what a checkpoint of a tree showed; absent for a caller that decides for its own sub-agents only. */
  readonly decideTree?: (decision: TreeDecision) => Promise<DecidedTree>
  /** Records an approval that is refused because the surface accepts none. */
  refusedApproval?(approval: RefusedApproval): Promise<void>
  spawn(call: SpawnCall): Promise<Reply<SpawnOutcome, Later>>
  /** Waits for the end of the sub-agent of a `Task` call. */
  result(id: string): Promise<Reply<TaskReport, Later>>
  /** The working directory of the sub-agents that it starts. */
  readonly cwd: string
}
