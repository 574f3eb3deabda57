import type { Octokit } from "@octokit/rest"
import type { DestinationAt } from "../../../contracts/config/notify.ts"
import type { Irreplaceable, NoticeAnswer, NoticeSending, StoredNotice } from "../../../domain/notify/notice.ts"
import { githubComment, githubMarker, readGithubRefusal } from "../../../domain/notify/services/github.ts"
import { githubClient, githubFailure } from "./github-client.ts"

interface GithubSending {
  readonly stored: StoredNotice
  readonly destination: DestinationAt<"github">
  readonly sending: NoticeSending
}

/** Returns the id of the comment that an earlier try has made; undefined if there is none. */
const findComment = async (
  { rest, paginate }: Octokit,
  place: { readonly owner: string; readonly repo: string; readonly issue_number: number },
  { key, mayBeThereSince = "" }: NoticeSending,
): Promise<number | undefined> => {
  const pages = paginate.iterator(rest.issues.listComments, { ...place, since: mayBeThereSince, per_page: 100 })
  for await (const { data } of pages)
    for (const { id, body } of data) if (body?.includes(githubMarker(key)) === true) return id
  return undefined
}

const comment = async (client: Octokit, { stored, destination, sending }: GithubSending): Promise<NoticeAnswer> => {
  const { rest } = client
  const [owner = "", repo = ""] = destination.repository.split("/")
  const place = { owner, repo, issue_number: destination.issue }
  const body = githubComment(stored, sending.key)
  if (stored.update !== undefined && sending.receipt !== undefined) {
    await rest.issues.updateComment({ owner, repo, comment_id: Number(sending.receipt), body })
    return { kind: "delivered" }
  }
  const found = sending.mayBeThereSince === undefined ? undefined : await findComment(client, place, sending)
  const id = found ?? (await rest.issues.createComment({ ...place, body })).data.id
  return { kind: "delivered", receipt: String(id) }
}

/** Adds a comment, or replaces it. Rejects if GitHub cannot be reached. */
export const sendToGithub = async (
  github: GithubSending,
  signal: AbortSignal,
): Promise<NoticeAnswer | Irreplaceable> => {
  const { stored, destination, sending } = github
  const client = await githubClient(destination, sending.secret, signal)
  try {
    return await comment(client, github)
  } catch (error) {
    const isUpdate = stored.update !== undefined && sending.receipt !== undefined
    return readGithubRefusal(githubFailure(error), isUpdate)
  }
}
