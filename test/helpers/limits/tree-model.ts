import type { ModelRequest, ModelProvider } from "../../../models/model-provider.ts"
import { createFakeModel, type FakeReply } from "../models/fake-model.ts"
import type { Harness } from "../engine/workflow-harness.ts"

const readFirstUserText = (request: ModelRequest): string => {
  const [first] = request.messages
  return first?.role === "user" ? first.text : ""
}

/**
 * Returns a model in which the session with the prompt `PARENT` replies by `parent`, and every other session
 * by `child`.
 */
export const createTreeModel = (
  parent: (turn: number, request: ModelRequest) => FakeReply | Promise<FakeReply>,
  child: (task: string, turn: number, request: ModelRequest) => FakeReply | Promise<FakeReply>,
): ModelProvider =>
  createFakeModel((request, turn) =>
    readFirstUserText(request) === "PARENT" ? parent(turn, request) : child(readFirstUserText(request), turn, request),
  )

/** Returns what a session's tools returned, in order. */
export const readToolResults = async ({ client }: Harness, id: string): Promise<readonly string[]> =>
  (await client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))

/** Returns the announcements of children that a session received outside of tool results. */
export const readAnnouncements = async ({ client }: Harness, id: string): Promise<readonly string[]> =>
  (await client.messages(id)).flatMap(({ message }) =>
    message.role === "user" && message.source === "announce" ? [message.text] : [],
  )
