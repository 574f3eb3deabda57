import { follow, request } from "./api.js"
import { callArguments, callTitle } from "./call-view.js"
import { byId, element } from "./element.js"
import { elapsed, isFinal, money, tokens } from "./figures.js"
import { refreshApprovals } from "./approvals-inbox.js"
import { refreshSessions } from "./session-tree.js"

const redrawMs = 150
let watching
let session
let results = new Map()

const isAtEnd = () => byId("rows").scrollHeight - byId("rows").scrollTop - byId("rows").clientHeight < 80

const toEnd = () => {
  byId("rows").scrollTop = byId("rows").scrollHeight
}

const act = async (method, path, body) => {
  try {
    await request(method, path, body)
    byId("say-note").textContent = ""
    await Promise.all([redraw(), refreshSessions(), refreshApprovals()])
  } catch (error) {
    byId("say-note").textContent = error.message
  }
}

const figure = (name, value) =>
  element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))

const drawHead = () => {
  const end = isFinal(session.status) ? session.updated_at : undefined
  const status = session.stop_reason === null ? session.status : `${session.status} (${session.stop_reason})`
  byId("head").replaceChildren(
    element("h2", { textContent: session.title ?? `${session.agent} ${session.id}` }),
    element(
      "dl",
      {},
      figure("status", status.replace("_", " ")),
      figure("agent", session.agent),
      figure("model", session.model),
      figure("steps", String(session.steps_taken)),
      figure("used", `${tokens(session.usage)}, ${money(session.usage.cost_usd)}`),
      figure("for", elapsed(session.created_at, end)),
    ),
    element(
      "div",
      { class: "bar" },
      element("button", {
        class: "danger",
        textContent: "Cancel",
        hidden: isFinal(session.status),
        onclick: () => act("POST", `/v1/sessions/${session.id}/cancel`, {}),
      }),
    ),
  )
  byId("say").hidden = false
  byId("no-session").hidden = true
  const [label, button] = isFinal(session.status)
    ? ["Follow-up: starts another run", "Send"]
    : session.pause_reason?.type === "input_required"
      ? ["It asks you", "Answer"]
      : ["Steer: reaches it at the next safe point", "Steer"]
  byId("say-label").textContent = label
  byId("send").textContent = button
}

const messageType = () => {
  if (isFinal(session.status) || session.pause_reason?.type === "input_required") return "message"
  return "steering"
}

const fork = (row) =>
  element("button", {
    class: "quiet",
    textContent: "Fork here",
    title: "A new session that goes on from this step",
    onclick: async () => {
      try {
        const made = await request("POST", `/v1/sessions/${session.id}/fork`, { at_step: row.step })
        await refreshSessions()
        await openTranscript(made.id)
      } catch (error) {
        byId("say-note").textContent = error.message
      }
    },
  })

const callView = (call) => {
  const args = call.arguments ?? {}
  const result = results.get(call.id)
  const outcome = result?.outcome ?? "…"
  return element(
    "details",
    {},
    element(
      "summary",
      {},
      `${callTitle({ name: call.name, arguments: args })} → `,
      element("span", { class: outcome, textContent: outcome }),
    ),
    ...callArguments({ name: call.name, arguments: args }),
    result === undefined ? undefined : element("pre", { textContent: result.content }),
  )
}

const partView = (part) => {
  switch (part.type) {
    case "text":
      return element("div", { class: "text", textContent: part.text })
    case "reasoning":
      return element(
        "details",
        {},
        element("summary", { textContent: "Reasoning" }),
        element("pre", { textContent: part.text }),
      )
    case "tool_call":
      return callView(part.call)
    default:
      return undefined
  }
}

const rowView = (row) => {
  const { message } = row
  if (message.role === "tool") return undefined
  if (message.role === "user")
    return element(
      "li",
      { class: "row user" },
      element("p", { class: "who", textContent: message.source.replace("_", " ") }),
      element("div", { class: "text", textContent: message.text }),
    )
  return element(
    "li",
    { class: "row assistant" },
    element("p", { class: "who" }, `step ${row.step} · ${message.model} `, fork(row)),
    ...message.parts.map(partView),
  )
}

const load = async (id) => {
  const [info, { items }] = await Promise.all([
    request("GET", `/v1/sessions/${id}`),
    request("GET", `/v1/sessions/${id}/messages`),
  ])
  return { info, items }
}

const keysOf = (message) => (message.role === "tool" ? [[message.call_id, message]] : [])

export const redraw = async () => {
  if (session === undefined) return
  const id = session.id
  const { info, items } = await load(id)
  if (session?.id !== id) return
  session = info
  drawHead()
  const wasAtEnd = isAtEnd()
  const openNow = new Set([...byId("rows").querySelectorAll("details[open]")].map((each) => each.dataset.key))
  const views = []
  results = new Map()
  // Call ids are unique within one answer only: results belong to the answer before them.
  for (const [index, row] of items.entries()) {
    if (row.message.role !== "assistant") {
      if (row.message.role === "user") views.push(rowView(row))
      continue
    }
    const rest = items.slice(index + 1)
    const end = rest.findIndex(({ message }) => message.role === "assistant")
    results = new Map((end === -1 ? rest : rest.slice(0, end)).flatMap(({ message }) => keysOf(message)))
    views.push(rowView(row))
  }
  byId("rows").replaceChildren(...views.filter((view) => view !== undefined))
  for (const [index, each] of [...byId("rows").querySelectorAll("details")].entries()) {
    each.dataset.key = String(index)
    each.open = openNow.has(each.dataset.key)
  }
  if (wasAtEnd) toEnd()
}

let live
let timer

/** Text as it comes, below the last row, until the whole answer is in the transcript. */
const stream = (event) => {
  if (event.type !== "text-delta") return
  if (live?.dataset.seq !== String(event.seq) || event.whole === true) {
    live?.remove()
    live = element("li", { class: "row assistant streaming" }, element("div", { class: "text", textContent: "" }))
    live.dataset.seq = String(event.seq)
    byId("rows").append(live)
  }
  const wasAtEnd = isAtEnd()
  live.firstChild.textContent += event.text
  if (wasAtEnd) toEnd()
}

const onEvent = (event) => {
  if (event.type === "text-delta" && event.whole !== true) {
    stream(event)
    return
  }
  if (event.type === "connection-lost") {
    byId("connection").textContent = "connection lost, trying again"
    return
  }
  byId("connection").textContent = ""
  clearTimeout(timer)
  timer = setTimeout(() => void redraw(), redrawMs)
  if (event.type === "run-paused" || event.type === "decision-recorded") void refreshApprovals()
}

export const openTranscript = async (id) => {
  watching?.abort()
  watching = new AbortController()
  live = undefined
  const { info } = await load(id)
  session = info
  byId("rows").replaceChildren()
  await redraw()
  toEnd()
  void follow(id, { after: 0, signal: watching.signal, onEvent })
}

export const startTranscript = () => {
  byId("say").addEventListener("submit", async (event) => {
    event.preventDefault()
    const text = byId("text").value.trim()
    if (text === "" || session === undefined) return
    byId("text").value = ""
    await act("POST", `/v1/sessions/${session.id}/messages`, { message: text, type: messageType() })
  })
  byId("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("say").requestSubmit()
  })
}
