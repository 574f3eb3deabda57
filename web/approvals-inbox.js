import { request } from "./api.js"
import { callPreview } from "./call-preview.js"
import { connection } from "./connection.js"
import { byId, element } from "./element.js"
import { elapsed } from "./figures.js"
import { visible } from "./visible.js"

const refreshMs = 2_000
const server = connection("approvals")
let open
let show
let drawn = ""

const decide = async (approval, decisions, card) => {
  card.querySelectorAll("button").forEach((button) => (button.disabled = true))
  try {
    await request("POST", `/v1/sessions/${approval.session_id}/tools/decisions`, {
      run_id: approval.run_id,
      checkpoint_id: approval.checkpoint_id,
      decisions,
    })
    drawn = ""
    await refreshApprovals()
  } catch (error) {
    failed(card, error)
  }
}

const failed = (card, error) => {
  card.querySelectorAll("button").forEach((button) => (button.disabled = false))
  card.querySelector(".failure")?.remove()
  card.append(element("p", { class: "failure", role: "alert", textContent: error.message }))
}

const callView = (approval, call, card) => {
  const reason = element("input", {
    placeholder: "Reason, or a result of your own",
    "aria-label": `Reason for ${call.id}`,
  })
  const one = (decision) => decide(approval, { [call.id]: decision }, card)
  const said = () => (reason.value.trim() === "" ? {} : { content: reason.value.trim() })
  return element(
    "div",
    { class: "call" },
    ...callPreview(call.preview),
    reason,
    element(
      "div",
      { class: "bar" },
      element("button", { class: "main", textContent: "Approve", onclick: () => one({ action: "accept" }) }),
      element("button", {
        class: "danger",
        textContent: "Reject",
        onclick: () => one({ action: "reject", ...said() }),
      }),
      element("button", {
        textContent: "Use my result",
        title: "The call does not run; the agent gets what you wrote as its result",
        onclick: () => (reason.value.trim() === "" ? reason.focus() : one({ action: "custom_result", ...said() })),
      }),
    ),
  )
}

const answerForm = (approval, card) => {
  const text = element("textarea", { rows: 2, required: true, "aria-label": "Your answer" })
  return element(
    "form",
    {
      onsubmit: async (event) => {
        event.preventDefault()
        try {
          await request("POST", `/v1/sessions/${approval.session_id}/messages`, {
            message: text.value,
            run_id: approval.run_id,
            checkpoint_id: approval.checkpoint_id,
          })
          drawn = ""
          await refreshApprovals()
        } catch (error) {
          failed(card, error)
        }
      },
    },
    text,
    element("div", { class: "bar" }, element("button", { class: "main", textContent: "Answer" })),
  )
}

const whoWaits = ({ agent, session_id: id, opened_at: since }) => `${agent} · ${id} · waits ${elapsed(since)}`

const cardOf = (approval) => {
  const card = element("article", { class: "card", "aria-label": `Approval for ${approval.session_id}` })
  const all = (decision) => decide(approval, Object.fromEntries(approval.pending.map(({ id }) => [id, decision])), card)
  card.dataset.session = approval.session_id
  const parts = [
    element("h3", { textContent: visible(approval.title ?? approval.agent) }),
    element("button", {
      class: "link",
      textContent: whoWaits(approval),
      title: "Open the transcript",
      onclick: () => open(approval.session_id),
    }),
    approval.message === "" ? undefined : element("p", { class: "why", textContent: visible(approval.message) }),
    ...approval.pending.map((call) => callView(approval, call, card)),
    approval.type === "input_required" ? answerForm(approval, card) : undefined,
    approval.pending.length > 1
      ? element(
          "div",
          { class: "bar all" },
          element("button", { class: "main", textContent: "Approve all", onclick: () => all({ action: "accept" }) }),
          element("button", { class: "danger", textContent: "Reject all", onclick: () => all({ action: "reject" }) }),
        )
      : undefined,
  ]
  card.append(...parts.filter((part) => part !== undefined))
  return card
}

/** Redrawn only when something changed: a half-written reason stays. */
export const refreshApprovals = async () => {
  let items
  try {
    ;({ items } = await request("GET", "/v1/approvals"))
    server.restored()
  } catch (error) {
    server.lost(error)
    return
  }
  byId("waiting").hidden = items.length === 0
  byId("waiting").textContent = String(items.length)
  document.title = items.length === 0 ? "Adjutant" : `(${items.length}) Adjutant`
  const shown = JSON.stringify(items.map(({ checkpoint_id, pending }) => [checkpoint_id, pending.map(({ id }) => id)]))
  if (shown === drawn) {
    for (const [index, link] of [...byId("inbox").querySelectorAll("button.link")].entries())
      link.textContent = whoWaits(items[index])
    return
  }
  drawn = shown
  byId("inbox").replaceChildren(...items.map(cardOf))
  byId("no-approvals").hidden = items.length > 0
}

/** Brings what waits in a session, or else the first that waits, before the person and under the keys. */
export const focusApproval = (sessionId) => {
  show()
  const own = byId("inbox").querySelector(`[data-session="${CSS.escape(sessionId)}"]`)
  const card = own ?? byId("inbox").firstElementChild
  card?.scrollIntoView({ block: "nearest" })
  card?.querySelector("button.main, textarea")?.focus({ preventScroll: true })
}

export const startApprovals = (onOpen, onShow) => {
  open = onOpen
  show = onShow
  void refreshApprovals()
  setInterval(() => document.visibilityState === "visible" && refreshApprovals(), refreshMs)
}
