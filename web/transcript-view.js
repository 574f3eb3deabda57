import { follow, request } from "./api.js"
import { refreshApprovals } from "./approvals-inbox.js"
import { byId, element } from "./element.js"
import { counted, elapsed, isFinal, money, tokens } from "./figures.js"
import { createLiveText } from "./live-text.js"
import { refreshSessions } from "./session-tree.js"
import { transcriptRows } from "./transcript-rows.js"

const redrawMs = 150
let open
let watching
let session
let drawn = ""
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

const load = async (id) => {
  const [info, { items }] = await Promise.all([
    request("GET", `/v1/sessions/${id}`),
    request("GET", `/v1/sessions/${id}/messages`),
  ])
  return { info, items }
}

/** Redrawn only when something changed: a selection and opened calls stay. */
const drawRows = (items) => {
  const shown = JSON.stringify([session.id, session.status, items.length, items.at(-1)?.seq])
  if (shown === drawn) return
  drawn = shown
  const wasAtEnd = isAtEnd()
  const rows = byId("rows")
  const before = [...rows.querySelectorAll("details")].map((each) => each.open)
  rows.replaceChildren(...transcriptRows(items, { isPaused: session.status === "paused", onFork: fork }))
  for (const [index, each] of [...rows.querySelectorAll("details")].entries()) each.open = before[index] ?? each.open
  live.settle(items.at(-1)?.seq ?? 0)
  if (wasAtEnd) toEnd()
}

const redraw = async () => {
  if (session === undefined) return
  const { id } = session
  const { info, items } = await load(id)
  if (session.id !== id) return
  session = info
  drawHead()
  drawRows(items)
}

const onEvent = (event) => {
  byId("connection").textContent = event.type === "connection-lost" ? "connection lost, trying again" : ""
  if (event.type === "connection-lost") return
  if (event.type === "text-delta") {
    if (event.whole === true) return
    const wasAtEnd = isAtEnd()
    live.push(event)
    if (wasAtEnd) toEnd()
    return
  }
  clearTimeout(timer)
  timer = setTimeout(() => void redraw().catch((error) => tell(error.message)), redrawMs)
  if (event.type === "run-paused" || event.type === "decision-recorded") void refreshApprovals()
}

export const openTranscript = async (id) => {
  watching?.abort()
  watching = new AbortController()
  const { signal } = watching
  const { info, items } = await load(id)
  if (signal.aborted) return
  session = info
  drawn = ""
  byId("rows").replaceChildren()
  live = createLiveText(byId("rows"))
  tell("")
  drawHead()
  drawRows(items)
  toEnd()
  void follow(id, { after: 0, signal, onEvent })
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
