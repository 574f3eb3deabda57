import { request } from "./api.js"
import { connection } from "./connection.js"
import { byId, element } from "./element.js"
import { counted, elapsed, isFinal, money } from "./figures.js"

const server = connection("sessions")
const pageSize = 100
const refreshMs = 2_000
let pages = 1
let current
let open

const filterOf = (shown) => {
  if (shown === "archived") return { archived: "true" }
  return shown ? { status: shown } : {}
}

const load = async () => {
  const shown = byId("filter").value
  const items = []
  let cursor
  for (let page = 0; page < pages; page += 1) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...filterOf(shown),
      ...(cursor ? { cursor } : {}),
    })
    const answer = await request("GET", `/v1/sessions?${query}`)
    items.push(...answer.items)
    cursor = answer.next_cursor
    if (cursor === null) break
  }
  byId("more").hidden = cursor === null || cursor === undefined
  return items
}

const nodeOf = (session, childrenOf) => {
  const children = childrenOf.get(session.id) ?? []
  const end = isFinal(session.status) ? session.updated_at : undefined
  const button = element(
    "button",
    {
      class: "node",
      "aria-current": String(session.id === current),
      onclick: () => open(session.id),
    },
    element("span", { class: `dot ${session.status}` }),
    element("span", { class: "name", textContent: session.title ?? session.agent }),
    element("span", { class: "id", textContent: session.id }),
    element("span", {
      class: "quiet",
      textContent: [
        (session.status === "failed" ? `failed: ${session.stop_reason}` : session.status).replaceAll("_", " "),
        counted(session.steps_taken, "step"),
        money(session.usage.cost_usd),
        elapsed(session.created_at, end),
      ].join(" · "),
    }),
  )
  button.dataset.id = session.id
  const item = element("li", { role: "treeitem", "aria-selected": String(session.id === current) }, button)
  if (children.length > 0)
    item.append(element("ul", { role: "group" }, ...children.map((child) => nodeOf(child, childrenOf))))
  return item
}

const draw = (sessions) => {
  const known = new Set(sessions.map(({ id }) => id))
  const childrenOf = Map.groupBy(
    sessions.filter(({ parent_session_id: parent }) => known.has(parent)).toReversed(),
    ({ parent_session_id: parent }) => parent,
  )
  const roots = sessions.filter(({ parent_session_id: parent }) => !known.has(parent))
  const focused = document.activeElement?.dataset?.id
  byId("tree").replaceChildren(...roots.map((session) => nodeOf(session, childrenOf)))
  if (focused !== undefined)
    byId("tree")
      .querySelector(`[data-id="${CSS.escape(focused)}"]`)
      ?.focus()
  byId("no-sessions").hidden = sessions.length > 0
}

export const refreshSessions = async () => {
  try {
    draw(await load())
    server.restored()
  } catch (error) {
    server.lost(error)
  }
}

export const selectSession = (id) => {
  current = id
  for (const node of document.querySelectorAll(".node"))
    node.setAttribute("aria-current", String(node.dataset.id === id))
}

const move = (step) => {
  const nodes = [...document.querySelectorAll(".node")]
  const at = nodes.findIndex((node) => node === document.activeElement || node.dataset.id === current)
  nodes[Math.min(nodes.length - 1, Math.max(0, at + step))]?.focus()
}

export const nextSession = () => move(1)
export const previousSession = () => move(-1)

/** Draws the sessions as a tree and keeps it fresh while the page is looked at. */
export const startSessionTree = (onOpen) => {
  open = onOpen
  byId("filter").addEventListener("change", () => void refreshSessions())
  byId("more").addEventListener("click", () => {
    pages += 1
    void refreshSessions()
  })
  void refreshSessions()
  setInterval(() => document.visibilityState === "visible" && refreshSessions(), refreshMs)
}
