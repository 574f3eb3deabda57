import { follow, request } from "./api.js"
import { focusApproval, refreshApprovals } from "./approvals-inbox.js"
import { connection } from "./connection.js"
import { byId, element } from "./element.js"
import { counted, elapsed, isFinal, money, tokens } from "./figures.js"
import { createLiveText } from "./live-text.js"
import { refreshSessions } from "./session-tree.js"
import { createTranscriptItems } from "./transcript-items.js"
import { openEnd, transcriptRows } from "./transcript-rows.js"

const redrawMs = 150
/** Steps above which the past is read from the transcript alone, not from the events too. */
const longHistory = 40
const server = connection("transcript")
let open
let transcript
let watching
let session
let drawn = { as: "", from: 0 }
let live
let timer

const isAtEnd = () => byId("rows").scrollHeight - byId("rows").scrollTop - byId("rows").clientHeight < 80

const toEnd = () => {
  byId("rows").scrollTop = byId("rows").scrollHeight
}

const tell = (text) => {
  byId("say-note").textContent = text
}

const act = async (method, path, body) => {
  try {
    const answer = await request(method, path, body)
    tell("")
    await Promise.all([redraw(), refreshSessions(), refreshApprovals()])
    return answer
  } catch (error) {
    tell(error.message)
    return undefined
  }
}

const figure = (name, value) =>
  element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))

const statusText = () => {
  const { status, stop_reason: reason } = session
  const shown = reason === null || reason === status ? status : `${status}: ${reason}`
  return shown.replaceAll("_", " ")
}

const drawHead = () => {
  const end = isFinal(session.status) ? session.updated_at : undefined
  byId("head").replaceChildren(
    element(
      "div",
      { class: "title" },
      element("h2", { textContent: session.title ?? session.agent }),
      element("span", { class: `status ${session.status}`, textContent: statusText() }),
      element("button", {
        class: "decide",
        textContent: asksForInput() ? "Answer" : "Decide",
        hidden: session.pause_reason === null,
        onclick: () => focusApproval(session.id),
      }),
      element("button", {
        class: "danger",
        textContent: "Cancel",
        hidden: isFinal(session.status) || session.run_id === null,
        onclick: () => act("POST", `/v1/sessions/${session.id}/cancel`, {}),
      }),
    ),
    element(
      "dl",
      {},
      figure("session", session.id),
      figure("agent", session.agent),
      figure("model", session.model),
      figure("took", `${counted(session.steps_taken, "step")} in ${elapsed(session.created_at, end)}`),
      figure("used", `${tokens(session.usage)}, ${money(session.usage.cost_usd)}`),
    ),
  )
  byId("say").hidden = false
  byId("no-session").hidden = true
  const [label, button] = wording()
  byId("say-label").textContent = label
  byId("send").textContent = button
}

const asksForInput = () => session.pause_reason?.type === "input_required"
const isIdle = () => isFinal(session.status) || session.run_id === null

const wording = () => {
  if (asksForInput()) return ["It asks you", "Answer"]
  if (isIdle()) return ["Follow up: starts another run", "Send"]
  return ["Steer: reaches it at the next safe point", "Steer"]
}

const fork = async (step) => {
  const made = await act("POST", `/v1/sessions/${session.id}/fork`, { at_step: step })
  if (made !== undefined) await open(made.id)
}

const keyOf = (details) => `${details.closest("[data-seq]")?.dataset.seq}.${details.dataset.call ?? details.className}`

/** Draws what is new, and the last answer again, whose results may have come: what is above, and what was opened, stays as it is. */
const drawRows = (items) => {
  const shown = JSON.stringify([session.status, items.length])
  if (shown === drawn.as) return
  const rows = byId("rows")
  const wasAtEnd = isAtEnd()
  const from = items[drawn.from]?.seq ?? Number.POSITIVE_INFINITY
  const stale = [...rows.querySelectorAll(":scope > [data-seq]")].filter((row) => Number(row.dataset.seq) >= from)
  const wereOpen = new Map(
    stale.flatMap((row) => [...row.querySelectorAll("details")].map((each) => [keyOf(each), each.open])),
  )
  for (const row of stale) row.remove()
  rows.append(...transcriptRows(items.slice(drawn.from), { isPaused: session.status === "paused", onFork: fork }))
  for (const each of rows.querySelectorAll("details")) each.open = wereOpen.get(keyOf(each)) ?? each.open
  drawn = { as: shown, from: openEnd(items) }
  live.settle(items.at(-1)?.seq ?? 0)
  if (wasAtEnd) toEnd()
}

const redraw = async () => {
  if (session === undefined) return
  const { id } = session
  const [info, items] = await Promise.all([request("GET", `/v1/sessions/${id}`), transcript.refresh()])
  if (session.id !== id) return
  session = info
  drawHead()
  drawRows(items)
}

/** Soon, and once for all that comes until then. */
const redrawSoon = () => {
  timer ??= setTimeout(() => {
    timer = undefined
    void redraw().catch(server.lost)
  }, redrawMs)
}

const onEvent = (event) => {
  if (event.type !== "text-delta") {
    redrawSoon()
    if (event.type === "run-paused" || event.type === "decision-recorded") void refreshApprovals()
    return
  }
  if (event.whole === true) return
  const wasAtEnd = isAtEnd()
  live.push(event)
  if (wasAtEnd) toEnd()
}

export const openTranscript = async (id) => {
  watching?.abort()
  watching = new AbortController()
  const { signal } = watching
  const items = createTranscriptItems(id)
  const [info, first] = await Promise.all([request("GET", `/v1/sessions/${id}`), items.refresh()])
  if (signal.aborted) return
  session = info
  transcript = items
  drawn = { as: "", from: 0 }
  byId("rows").replaceChildren()
  live = createLiveText(byId("rows"))
  tell("")
  server.restored()
  drawHead()
  drawRows(first)
  toEnd()
  const onOpen = () => {
    server.restored()
    redrawSoon()
  }
  const after = info.steps_taken > longHistory ? "now" : 0
  void follow(id, { after, signal, onEvent, onOpen, onLost: server.lost })
}

const say = async () => {
  const message = byId("text").value.trim()
  if (message === "" || session === undefined) return
  const type = isIdle() || asksForInput() ? "message" : "steering"
  const sent = await act("POST", `/v1/sessions/${session.id}/messages`, { message, type })
  if (sent !== undefined) byId("text").value = ""
}

export const startTranscript = (onOpen) => {
  open = onOpen
  byId("say").addEventListener("submit", (event) => {
    event.preventDefault()
    void say()
  })
  byId("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("say").requestSubmit()
  })
}
