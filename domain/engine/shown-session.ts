import { inlineMarkdown, maxSummaryBytes, summaryMarkdown } from "../text/shown/markdown.ts"
import { startOf } from "../text/foreign/well-formed.ts"

/** The data of a session that the engine's UI shows. */
export interface ShownSession {
  readonly id: string
  readonly title: string | null
  readonly agent: string
  readonly model: string | null
  readonly depth: number
  readonly rootId: string
  readonly parentId: string | null
}

export interface SearchAttribute {
  readonly name: string
  readonly value: string
}

const maxCharacters = 200

/** Returns the search attributes of a session that starts. */
export const searchAttributesOf = (session: ShownSession): readonly SearchAttribute[] => [
  { name: "AgentStatus", value: "running" },
  { name: "AgentProfile", value: session.agent },
  { name: "RootSession", value: session.rootId },
  ...(session.parentId === null ? [] : [{ name: "ParentSession", value: session.parentId }]),
]

/** Returns the memo of a session's execution. */
export const memoOf = ({ title, agent, model, depth }: ShownSession) => ({
  title: title === null ? null : startOf(title, maxCharacters),
  profile: agent,
  model,
  depth,
})

/** Returns the summary of a session's execution: one line, since the engine shows about 200 bytes. */
export const executionSummary = (session: ShownSession): string => {
  const who = `${inlineMarkdown(session.agent)} ${session.id}`
  return session.title === null ? who : `${who}: ${summaryMarkdown(session.title, maxSummaryBytes - who.length - 2)}`
}
