import { request } from "./api.js"

const pageSize = 500

/** A session's transcript as it grows: every message is fetched once. */
export const createTranscriptItems = (sessionId) => {
  const items = []
  const fetchNew = async () => {
    for (;;) {
      const after = items.at(-1)?.seq ?? 0
      const page = await request("GET", `/v1/sessions/${sessionId}/messages?limit=${pageSize}&cursor=${after}`)
      items.push(...page.items)
      if (page.next_cursor === null) return items
    }
  }
  let last = Promise.resolve()
  return {
    /** All messages so far, with those that came since. One look after another, so that none is taken twice. */
    refresh() {
      last = last.catch(() => undefined).then(fetchNew)
      return last
    },
  }
}
