import type { AdjutantClient } from "../../client/create-client.ts"
import type { TreeReading, TreeRegistry } from "../tree-registry.ts"

export interface BringingOptions {
  /** The client that reads, and that changes what runs nothing. */
  readonly client: AdjutantClient
  /** Brings what an existing tree needs, or a new one (null). Returns the id of its root. */
  readonly bring: (rootId: string | null) => Promise<string>
  readonly trees: Pick<TreeRegistry, "readOf">
  readonly clientOf: (reading: TreeReading) => AdjutantClient
}

/** Returns a client that brings what a tree needs before it starts or resumes the tree. */
export const bringingClient = ({ client, bring, trees, clientOf }: BringingOptions): AdjutantClient => {
  const brought = async (rootId: string | null) => {
    const id = await bring(rootId)
    const reading = trees.readOf(id)
    return { id, tree: reading === undefined ? client : clientOf(reading) }
  }
  const treeOf = async (sessionId: string): Promise<AdjutantClient> =>
    (await brought((await client.info(sessionId)).root_session_id)).tree
  return {
    ...client,
    spawn: async (request) => {
      const { id, tree } = await brought(null)
      return await tree.spawn({ ...request, sessionId: id })
    },
    send: async (request) => (await treeOf(request.sessionId)).send(request),
    decide: async (request) => (await treeOf(request.sessionId)).decide(request),
  }
}
