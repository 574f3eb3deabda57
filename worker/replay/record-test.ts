import { realpath } from "node:fs/promises"
import { stringify } from "yaml"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { AssistantMessage, ToolCall, ToolMessage } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { builtinToolNames, skillToolName } from "../../domain/tools/tool-names.ts"
import { type Redact, redactTexts } from "../../domain/text/redact.ts"
import { answerText } from "../../domain/transcript/last-text.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import type { Store } from "../../store/store.ts"
import { readRecording, type RecordedTurn, type Recording } from "./read-recording.ts"
import { type TestFacts, testText } from "./test-text.ts"

const modelName = "recorded"
const testable: ReadonlySet<string> = new Set([...builtinToolNames, skillToolName, "finish"])

type RecordedRow = Recording["rows"][number]

/** The files of a test, by their names. */
export type TestFiles = Readonly<Record<string, string>>

const refuse = (id: string, reason: string): AdjutantError =>
  new AdjutantError(
    "invalid_argument",
    `task ${id} cannot become a test: ${reason}; use "adjutant export ${id} --cassette <file>" instead`,
  )

/** Returns the results of a turn's calls, in the order of the transcript. */
const resultsOf = (
  { rows, turns }: Recording,
  turn: RecordedTurn,
): readonly (RecordedRow & { message: ToolMessage })[] => {
  const next = turns.find(({ step }) => step === turn.step + 1)
  return rows
    .slice(turn.index + 1, next?.index)
    .flatMap((row) => (row.message.role === "tool" ? [{ ...row, message: row.message }] : []))
}

/** Returns the texts that people sent: the first of each run, and answers to questions. */
const sentTexts = ({ rows, session }: Recording): readonly string[] => {
  const begun = new Set<string>()
  return rows.flatMap(({ runId, message }) => {
    if (message.role !== "user" || message.source === "notice" || message.source === "compaction") return []
    const isFirst = !begun.has(runId)
    begun.add(runId)
    if (isFirst || message.source === "input") return [message.text]
    throw refuse(session.id, "its run got another message while it worked")
  })
}

/** Calls that read no path of their arguments. */
const withoutPaths: ReadonlySet<string> = new Set(["TodoWrite", "finish"])

/** Refuses a call with an absolute path of the project: the test, which runs in a copy, would change the project itself. */
const requireRelative = (
  { session }: Recording,
  { name, arguments: args }: Pick<ToolCall, "name" | "arguments">,
): void => {
  const directory = JSON.stringify(session.cwd).slice(1, -1)
  if (!withoutPaths.has(name) && JSON.stringify(args).includes(directory))
    throw refuse(
      session.id,
      `a call of ${name} contains its working directory, and a test runs in a copy of the project`,
    )
}

const requireTestable = async (
  store: Pick<Store, "runs">,
  recording: Recording,
  projectRoot: string,
): Promise<void> => {
  const { session, turns } = recording
  if (session.cwd !== (await realpath(projectRoot)))
    throw refuse(session.id, `its working directory is ${session.cwd}, and a test runs in the folder of the project`)
  for (const runId of new Set(turns.map((turn) => turn.runId)))
    if ((await store.runs.get(runId))?.status !== "completed") throw refuse(session.id, "it has not completed")
  for (const { answer } of turns)
    for (const call of toolCallsOf(answer)) {
      if (!testable.has(call.name))
        throw refuse(session.id, `it calls ${call.name}, and a test runs built-in tools only`)
      requireRelative(recording, call)
    }
}

const plainText = (id: string, text: string): string => {
  if (/\{\{(?:result|user):/.test(text)) throw refuse(id, "an answer contains a template of scripted models")
  return text
}

const scriptedCall = (id: string, call: ToolCall) => ({
  id: call.id,
  name: call.name,
  arguments:
    call.arguments === null
      ? plainText(id, call.raw_arguments ?? "")
      : (plainText(id, JSON.stringify(call.arguments)), call.arguments),
})

const scriptedReply = (id: string, answer: AssistantMessage) => {
  const [text, calls] = [answerText(answer), toolCallsOf(answer)]
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = answer.usage
  return {
    ...(text === "" ? {} : { text: plainText(id, text) }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => scriptedCall(id, call)) }),
    ...(answer.stop === (calls.length > 0 ? "tool_calls" : "end_turn") ? {} : { stop: answer.stop }),
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      reasoning_tokens: reasoningTokens,
    },
  }
}

const conversationOf = (recording: Recording) => ({
  turns: recording.turns.map((turn, index) => {
    const before = recording.turns[index - 1]
    const results = before === undefined ? [] : resultsOf(recording, before)
    return {
      ...(results.length === 0
        ? {}
        : { expect: { tool_results: results.map(({ message: { name, outcome } }) => ({ name, outcome })) } }),
      reply: scriptedReply(recording.session.id, turn.answer),
    }
  }),
})

/** Returns the profile of the run as a configuration has it, without its models and keys. */
const profileOf = ({ agent, agents }: RunSnapshot) => {
  const profile = Object.hasOwn(agents, agent) ? agents[agent] : undefined
  if (profile?.type !== "llm") return {}
  const { model: _model, credentials: _credentials, subagents: _subagents, ...rest } = profile
  return { agents: { [agent]: rest } }
}

const configOf = (snapshot: RunSnapshot, script: string) => ({
  models: { [modelName]: { provider: "scripted", script } },
  ...profileOf(snapshot),
  tools: { policy: snapshot.policy, never: snapshot.never },
})

/** Returns the decisions that were no approvals: rejections, other arguments, results that a person wrote. */
const decisionsOf = async (
  store: Pick<Store, "callEdits">,
  recording: Recording,
): Promise<Readonly<Record<string, CallDecision>>> => {
  const decisions: Record<string, CallDecision> = {}
  for (const turn of recording.turns)
    for (const { seq, message } of resultsOf(recording, turn)) {
      const edit = await store.callEdits.get(recording.session.id, seq)
      if (message.outcome === "rejected") decisions[message.call_id] = { action: "reject" }
      else if (message.outcome === "custom")
        decisions[message.call_id] = { action: "custom_result", content: message.content.slice(0, 65_536) }
      else if (edit !== undefined) {
        requireRelative(recording, { name: message.name, arguments: { ...edit.arguments } })
        decisions[message.call_id] = { action: "edit", arguments: { ...edit.arguments } }
      }
    }
  return decisions
}

/** Returns the tools of a test. A start with an empty list is refused. */
const testableTools = (id: string, { tools }: RunSnapshot): readonly string[] => {
  const names = tools.filter((tool) => testable.has(tool))
  if (names.length > 0) return names
  throw refuse(id, "it has no built-in tool, and a test runs those only")
}

const factsOf = async (
  store: Pick<Store, "callEdits">,
  recording: Recording,
  { name, project }: { readonly name: string; readonly project: string },
): Promise<TestFacts> => {
  const { session, turns } = recording
  const snapshot = recording.settingsOf(turns[0]?.runId ?? "")
  return {
    name,
    project,
    title: session.title ?? `${session.agent} ${session.id}`,
    texts: sentTexts(recording),
    start: {
      agent: snapshot.agent,
      model: modelName,
      allowed_tools: testableTools(session.id, snapshot),
      max_steps: snapshot.limits.maxSteps,
      auto_approve: false,
      pause_on_approval: snapshot.pauseOnText,
      ...(snapshot.outputSchema === undefined ? {} : { output_schema: snapshot.outputSchema }),
    },
    decisions: await decisionsOf(store, recording),
    finalMessage: session.finalMessage,
    calls: turns.flatMap((turn) =>
      resultsOf(recording, turn).map(({ message }): readonly [string, string] => [message.name, message.outcome]),
    ),
  }
}

/**
 * Returns a scripted conversation with the answers of a session's models, a configuration that uses it, and a vitest case that runs it again with the
 * real tools in a copy of the project. `project` is the path of `projectRoot`, relative to the folder of the files.
 * @throws AdjutantError `invalid_argument` for a session that a scripted conversation cannot repeat
 */
export const recordTest = async (
  store: Store,
  sessionId: string,
  { project, projectRoot, redact }: { readonly project: string; readonly projectRoot: string; readonly redact: Redact },
): Promise<TestFiles> => {
  const recording = await readRecording(store, sessionId)
  await requireTestable(store, recording, projectRoot)
  const name = `task-${sessionId}`
  const script = `${name}.conversation.yaml`
  const facts = await factsOf(store, recording, { name, project })
  const snapshot = recording.settingsOf(recording.turns[0]?.runId ?? "")
  return {
    [script]: stringify(redactTexts(conversationOf(recording), redact)),
    [`${name}.config.yaml`]: stringify(redactTexts(configOf(snapshot, script), redact)),
    [`${name}.test.ts`]: testText(redactTexts(facts, redact)),
  }
}
