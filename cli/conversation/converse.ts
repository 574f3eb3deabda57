import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { explain } from "../../domain/advice/explain.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import { Interrupted } from "../terminal/interrupts.ts"
import type { CommandContext, TaskHost } from "../host/hosts.ts"
import { withHost } from "../host/with-host.ts"
import { printOutcome } from "../text/print-result.ts"
import type { CliContext } from "../program/cli-context.ts"
import { type ExitCode, exitCodeOfSignal } from "../terminal/exit-code.ts"
import { followWithPerson } from "../run/follow-with-person.ts"
import { withResumeFlags } from "../run/resume-flags.ts"
import type { Person } from "../terminal/person.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { listTable } from "../text/session-text.ts"
import { columnsOf } from "../text/table.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import { readLine } from "./read-line.ts"

/** What a conversation works with. */
interface Conversation {
  readonly context: CliContext
  readonly person: Person
  readonly host: TaskHost
  /** The task that gets the next message; undefined if the next message starts one. */
  current: string | undefined
}

const help = `  <text>          send a message to the current task, or start a task
  /list           list the tasks that run or wait, and the last ones
  /open <task>    continue with another task
  /new            start a new task with the next message
  /steer <text>   redirect the current task while it runs
  /quit           leave; tasks that run continue
`

const mostListed = 10

/** Shows the tasks that are open, or with `all` the last ones too. Sub-agents are shown by their parents. */
const showTasks = async ({ context, host }: Conversation, all: boolean): Promise<void> => {
  const { items } = await host.client.list({ limit: 100 })
  const roots = items.filter(({ parent_session_id: parent, status }) => parent === null && (all || !isFinal(status)))
  const { stdout, paint } = context.io
  const shown = { now: Date.now(), isNumbered: false, paint: paint.stdout, columns: columnsOf(stdout) }
  if (roots.length > 0) stdout.write(`${listTable(roots.slice(0, mostListed), shown)}\n\n`)
  else if (all) context.io.stdout.write("No tasks.\n")
}

/** Follows a task until it ends or waits; calls that need approval are asked about in between. Returns whether the conversation continues. */
const followTask = async (
  { context, host }: Conversation,
  { sessionId, afterEvent }: { readonly sessionId: string; readonly afterEvent: number },
): Promise<boolean> => {
  const { cwd } = await host.client.info(sessionId)
  const { document, shownAnswer, isLeft, interruptedBy, isResting } = await followWithPerson(context, host, {
    ...{ sessionId, afterEvent, flags: {}, watch: true, onInterrupt: "leave" },
    cwd: host.manifestDirectory(cwd),
  })
  if (document !== undefined) {
    const shown: OutcomeDocument = withResumeFlags(host, document)
    printOutcome(context, shown, { shownAnswer, isLeft, isSummarised: true })
  }
  return interruptedBy === undefined && !isResting
}

/** Sends a message to the current task, or starts one, and follows it. */
const say = async (conversation: Conversation, text: string): Promise<boolean> => {
  const { context, host, current } = conversation
  if (current === undefined) {
    const cwd = context.options.server === undefined ? context.cwd : undefined
    const { sessionId } = await host.startTask({ prompt: text, cwd, auto_approve: false }, "follow")
    conversation.current = sessionId
    return await followTask(conversation, { sessionId, afterEvent: 0 })
  }
  await host.handOver((await host.client.info(current)).root_session_id, "follow")
  const { last_event_id: afterEvent } = await host.client.inspectTarget(current)
  await host.client.send({ sessionId: current, type: "message", text, actor: commandLineActor() })
  return await followTask(conversation, { sessionId: current, afterEvent })
}

/** Opens a task: one that runs or waits is followed. */
const open = async (conversation: Conversation, target: string): Promise<boolean> => {
  const { client } = conversation.host
  const { session_id: id, last_event_id: afterEvent } = await client.inspectTarget(target)
  const { status, title } = await client.info(id)
  conversation.current = id
  conversation.context.io.stdout.write(`${id} · ${status} · ${oneLine(title ?? "", 80)}\n`)
  return isFinal(status) || (await followTask(conversation, { sessionId: id, afterEvent }))
}

const steer = async ({ host, current, context }: Conversation, text: string): Promise<void> => {
  if (current === undefined) throw wrongUsage("there is no current task: /open one first")
  await host.client.send({ sessionId: current, type: "steering", text, actor: commandLineActor() })
  context.io.stderr.write(`Task ${current} reads this at its next safe point.\n`)
}

/** Acts on one line. Returns whether the conversation continues. */
const act = async (conversation: Conversation, typed: string): Promise<boolean> => {
  const line = readLine(typed)
  switch (line.kind) {
    case "nothing":
      return true
    case "quit":
      return false
    case "help":
      conversation.context.io.stderr.write(help)
      return true
    case "list":
      await showTasks(conversation, true)
      return true
    case "new":
      conversation.current = undefined
      return true
    case "open":
      return await open(conversation, line.text)
    case "steer":
      await steer(conversation, line.text)
      return true
    case "say":
      return await say(conversation, line.text)
    case "unknown":
      throw wrongUsage(`${line.text} is not a command of the conversation: /help lists them`)
  }
}

/** Asks for lines until the person leaves. What fails is shown, and the next line is asked for. */
const talk = async (conversation: Conversation): Promise<ExitCode> => {
  const { context, person } = conversation
  const { interrupts, io } = context
  for (;;) {
    const typed = await person.ask(io.paint.stderr.bold(`${conversation.current ?? "new task"} > `))
    if (typed === undefined) return 0
    try {
      if (!(await act(conversation, typed))) break
    } catch (error) {
      if (!isAdjutantError(error)) throw error
      io.stderr.write(`adjutant: ${oneLine(explain(error, { kind: "cli" }), 2_000)}\n`)
    }
  }
  const signal = interrupts.received()
  return signal === undefined ? 0 : exitCodeOfSignal(signal)
}

/** Talks with an agent at the terminal: shows what is open, then takes messages and commands. Leaving ends no task. */
export const converse = async (context: CommandContext): Promise<ExitCode> => {
  const { person, io } = context
  if (person === undefined || context.options.output !== "text")
    throw wrongUsage('a conversation requires a terminal: use adjutant run "<prompt>" in scripts')
  return await withHost(context, "tasks", async (host) => {
    const conversation: Conversation = { context, person, host, current: undefined }
    await showTasks(conversation, false)
    io.stderr.write("Type what an agent should do, or /help. Ctrl-D leaves; tasks that run continue.\n")
    try {
      return await talk(conversation)
    } catch (error) {
      const signal = context.interrupts.received()
      if (!(error instanceof Interrupted) || signal === undefined) throw error
      io.stderr.write("\n")
      return exitCodeOfSignal(signal)
    }
  })
}
