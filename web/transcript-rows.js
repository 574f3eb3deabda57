import { callArguments, callTitle } from "./call-view.js"
import { element } from "./element.js"

const callView = (call, result, isPaused) => {
  const shown = { name: call.name, arguments: call.arguments ?? {} }
  const outcome = result?.outcome ?? (isPaused ? "waits for approval" : "runs")
  return element(
    "details",
    { open: result === undefined && isPaused, "data-call": call.id },
    element(
      "summary",
      {},
      element("span", { class: "title", textContent: callTitle(shown) }),
      element("span", { class: `outcome ${result?.outcome ?? "waits"}`, textContent: outcome }),
    ),
    // What waits is shown by its preview, with the buttons that decide it.
    ...(result === undefined && isPaused ? [] : callArguments(shown)),
    result === undefined ? undefined : element("pre", { class: "result", textContent: result.content }),
  )
}

const partView = (part, results, isPaused) => {
  switch (part.type) {
    case "text":
      return element("div", { class: "text", textContent: part.text })
    case "reasoning":
      return element(
        "details",
        { class: "reasoning" },
        element("summary", {}, element("span", { class: "title", textContent: "Reasoning" })),
        element("pre", { textContent: part.text }),
      )
    case "tool_call":
      return callView(part.call, results.get(part.call.id), isPaused)
    default:
      return undefined
  }
}

const userRow = ({ seq, message }) =>
  element(
    "li",
    { class: "row user", "data-seq": seq },
    element("p", { class: "who", textContent: message.source.replaceAll("_", " ") }),
    element("div", { class: "text", textContent: message.text }),
  )

const assistantRow = (row, results, { isPaused, onFork }) =>
  element(
    "li",
    { class: "row assistant", "data-seq": row.seq },
    element(
      "p",
      { class: "who" },
      element("span", { textContent: `step ${row.step} · ${row.message.model}` }),
      element("button", {
        class: "link",
        textContent: "Fork here",
        title: "A new session that goes on from this step",
        onclick: () => onFork(row.step),
      }),
    ),
    ...row.message.parts.map((part) => partView(part, results, isPaused)),
  )

/** Where the rows begin that messages to come may still change: the last answer, whose calls get their results. */
export const openEnd = (items) =>
  Math.max(
    0,
    items.findLastIndex(({ message }) => message.role === "assistant"),
  )

/** The rows of a transcript. Call ids are unique within one answer only: results belong to the answer before them. */
export const transcriptRows = (items, at) => {
  const views = []
  for (const [index, row] of items.entries()) {
    if (row.message.role === "user") views.push(userRow(row))
    if (row.message.role !== "assistant") continue
    const rest = items.slice(index + 1)
    const end = rest.findIndex(({ message }) => message.role === "assistant")
    const own = (end === -1 ? rest : rest.slice(0, end)).filter(({ message }) => message.role === "tool")
    const isPaused = at.isPaused && end === -1
    views.push(assistantRow(row, new Map(own.map(({ message }) => [message.call_id, message])), { ...at, isPaused }))
  }
  return views
}
