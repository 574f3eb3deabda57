import type { ErrorReason } from "../../contracts/error-reason.ts"
import { shellQuote } from "../text/shell-quote.ts"
import type { CliSurface, Surface, ToolSurface } from "./surface.ts"
import { decidingToolCall, listCall, lookCall, stopCall, tellCall, waitCall } from "./tool-calls.ts"

/** Why a reader needs advice. */
export type AdviceReason =
  /** The result of sub-agents that work now is wanted later. */
  | { readonly about: "result"; readonly ids: readonly string[] }
  /** A wait has ended, and these sub-agents still work. */
  | { readonly about: "still_running"; readonly ids: readonly string[] }
  /** A task waits for decisions on its calls, or (`isBelow`) on calls of its own sub-agents. */
  | { readonly about: "decision"; readonly taskId: string; readonly isBelow: boolean }
  /** A task waits for the answer to its question. */
  | { readonly about: "question"; readonly taskId: string }
  /** The reader has started no sub-agents. */
  | { readonly about: "none" }
  /** A sub-agent cannot be steered, because it has ended. */
  | { readonly about: "ended"; readonly taskId: string }
  /** The reader has as many sub-agents at work as it may have. */
  | { readonly about: "places" }
  /** The reader may start no sub-agent at its depth. */
  | { readonly about: "depth" }
  /** A limit has ended a run. */
  | { readonly about: "limit"; readonly limit: Limit }
  /** The configuration of a project is not trusted. */
  | { readonly about: "trust" }
  /** What an error is about: `unknown`, for example, is a name that means no session that the reader reaches. */
  | ErrorReason

/** A limit of a run, as its stop reason names it. */
export type Limit = "max_steps" | "budget" | "timeout"

type Advice<Reader extends Surface> = {
  readonly [About in AdviceReason["about"]]?: (
    reason: Extract<AdviceReason, { readonly about: About }>,
    surface: Reader,
  ) => string | undefined
}

const onlyPeople = "Only a person can decide here; they find what is pending among the approvals."

const told =
  "You will receive its result as a message when it is done: continue with other work, or end your turn to wait for it. Do not poll."

const sentence = (call: string | undefined, text: (call: string) => string): string | undefined =>
  call === undefined ? undefined : text(call)

/** What a model can do with its tools. */
const forTools: Advice<ToolSurface> = {
  result: ({ ids }, surface) => {
    if (surface.isTold && !surface.tools.includes("wait_for_tasks")) return told
    return sentence(waitCall(surface, ids), (call) => `Get its result with ${call} when you need it. Do not poll.`)
  },
  still_running: ({ ids }, surface) =>
    sentence(waitCall(surface, ids), (call) => `They are still running: call ${call} again.`),
  decision: ({ taskId, isBelow }, surface) => {
    const call = decidingToolCall(surface, taskId)
    if (call === undefined) return onlyPeople
    // An agent decides for its own sub-agents only.
    if (isBelow && surface.isTold) return "A sub-agent of this task asks: the task decides, or a person."
    if (isBelow)
      return "Decide each call on the task that owns it, in the same way. Calls that you do not list are rejected."
    return surface.mayApprove
      ? `Decide with ${call}. Calls that you do not list are rejected.`
      : `You can reject the calls with ${call}. ${onlyPeople.replace("decide", "approve")}`
  },
  question: ({ taskId }, surface) =>
    sentence(tellCall(surface, taskId), (call) => `Answer with ${call}.`) ?? onlyPeople,
  unknown: (_reason, surface) => sentence(listCall(surface), (call) => `${call} lists those that you can name.`),
  checkpoint: (_reason, surface) => sentence(listCall(surface), (call) => `${call} lists the tasks that are paused.`),
  state: ({ task_id: id = "" }, surface) => sentence(lookCall(surface, id), (call) => `${call} shows its state.`),
  none: (_reason, surface) =>
    !surface.isTold && surface.tools.includes("sessions_list")
      ? "sessions_list {} lists every session that you reach."
      : undefined,
  ended: ({ taskId }, surface) =>
    sentence(tellCall(surface, taskId), (call) => `To give it another instruction, call ${call}.`),
  places: (_reason, surface) => {
    const shown = sentence(listCall(surface), (call) => `${call} shows them. `) ?? ""
    const stop = sentence(stopCall(surface), (call) => `, or end one with ${call}`) ?? ""
    return `${shown}One that ends frees a place: decide on or answer those that are paused${stop}.`
  },
  depth: () => "Do the work yourself.",
  limit: ({ limit }, { tools }) => {
    const another = anotherWith[limit].find(([tool]) => tools.includes(tool))?.[1]
    return another === undefined
      ? "A person can raise the limit and continue it."
      : `Start another one with a higher ${another}, or let a person raise the limit and continue this one.`
  },
}

/** The argument with which a tool raises a limit. */
const anotherWith: Readonly<Record<Limit, readonly (readonly [tool: string, argument: string])[]>> = {
  max_steps: [["dynamic_subagent_task", "max_steps"]],
  budget: [],
  timeout: [
    ["sessions_spawn", "runTimeoutSeconds"],
    ["run_command_task", "timeout_seconds"],
  ],
}

/** Returns a command that finds the same tasks from any directory. */
const placedCommand = ({ place = [] }: CliSurface, ...words: readonly string[]): string =>
  ["adjutant", ...[...words, ...place].map(shellQuote)].join(" ")

/** What a person can do with commands. */
const forCommandLine: Advice<CliSurface> = {
  result: ({ ids }, surface) => `Follow it with \`${placedCommand(surface, "wait", ...ids)}\`.`,
  unknown: (_reason, surface) => `run "${placedCommand(surface, "list")}" to see the sessions`,
  checkpoint: (_reason, surface) => `run "${placedCommand(surface, "approvals")}" to see what is pending`,
  state: ({ task_id: id = "ID" }, surface) => `run "${placedCommand(surface, "info", id)}" to see its state`,
  grants: ({ task_id: id = "ID" }, surface) => `run "${placedCommand(surface, "grants", id)}" to see its grants`,
  deliveries: (_reason, surface) => `run "${placedCommand(surface, "deliveries")}" to see them`,
  trust: () => 'check it, then run "adjutant trust", or pass --trust for one command',
  worker: (_reason, surface) => `start one with "${placedCommand(surface, "worker")}", then try again`,
}

/** What a program can request. */
const forHttp: Advice<Surface> = {
  unknown: () => "GET /v1/sessions lists the sessions",
  checkpoint: () => "GET /v1/approvals lists what is pending",
  state: ({ task_id: id = "{id}" }) => `GET /v1/sessions/${id} shows its state`,
  grants: ({ task_id: id = "{id}" }) => `GET /v1/sessions/${id}/grants lists its grants`,
  worker: () => "start a worker, then try again",
}

const forLimit = (ways: Readonly<Record<Limit, string>>): Advice<Surface> => ({ limit: ({ limit }) => ways[limit] })

/** What a person can do with the commands of a thread. */
const forChat: Advice<Surface> = {
  decision: () => "Nobody can decide in a thread: someone with the web page, the command line or a link decides.",
  question: ({ taskId }) => `Answer with /send ${taskId} <text>.`,
  unknown: () => "/list shows those that you can name.",
  state: ({ task_id: id = "" }) => `/info ${id} shows its state.`,
  ended: ({ taskId }) => `To give it another instruction, write /send ${taskId} <text>.`,
}

/** What the author of a program can do with its options. */
const forLibrary: Advice<Surface> = {
  trust: () => 'check it, then run "adjutant trust", or pass trust: true to connect or runWorker',
}

/** What a reader can do, by where it reads. */
const advice: Readonly<Record<Surface["kind"], Advice<never>>> = {
  tool: forTools,
  cli: {
    ...forCommandLine,
    ...forLimit({
      max_steps: "raise it with --max-steps",
      budget: "raise it with --budget-usd or --budget-tokens",
      timeout: "raise it with --timeout",
    }),
  },
  http: {
    ...forHttp,
    ...forLimit({
      max_steps: "send a message with a higher max_steps",
      budget: "send a message with a higher budget_usd or budget_tokens",
      timeout: "send a message with a higher timeout_seconds",
    }),
  },
  chat: {
    ...forChat,
    ...forLimit({
      max_steps: "Someone with the web page or the command line can raise the limit and continue.",
      budget: "Someone with the web page or the command line can raise the budget and continue.",
      timeout: "Someone with the web page or the command line can raise the limit and continue.",
    }),
  },
  library: forLibrary,
}

/** Returns what a reader can do about this; undefined if nothing can be done there. */
export const advise = (reason: AdviceReason, surface: Surface): string | undefined => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each entry takes the reason and the surface of its own place in the table
  const entry = advice[surface.kind][reason.about] as
    | ((reason: AdviceReason, surface: Surface) => string | undefined)
    | undefined
  return entry?.(reason, surface)
}
