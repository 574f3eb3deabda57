import { noticesOf } from "../../domain/preview/preview-lines.ts"
import { visible } from "../../domain/text/visible.ts"
import type { Approval } from "../../sessions/decide/approval.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Escapes a text for HTML, so that texts from models and tools never become markup. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? "")

export const pageStyle = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.5rem 0 .4rem}ul{margin:.2rem 0 .6rem;padding-left:1.2rem;color:#b9770e}
pre{white-space:pre-wrap;margin:0;padding:.8rem;border:1px solid #8886;border-radius:.4rem;max-height:24rem;overflow:auto;font-size:.9rem}
.diff ins{color:#1e8449;text-decoration:none}.diff del{color:#c0392b;text-decoration:none}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem;color:#777}dd{margin:0}
textarea,input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;min-height:5rem}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.4rem;border:1px solid #8888;cursor:pointer;margin:.8rem .6rem 0 0}
button.yes{background:#186a3b;color:#fff;border-color:#186a3b}button.no{background:#922b21;color:#fff;border-color:#922b21}`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${pageStyle}</style></head>
<body>${body}</body></html>
`

const block = (text: string): string => `<pre>${escapeHtml(visible(text))}</pre>`

const diffHtml = (diff: string): string =>
  diff
    .trimEnd()
    .split("\n")
    .map((line) => {
      const kind = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span"
      return `<${kind}>${escapeHtml(line)}</${kind}>`
    })
    .join("\n")

const callHtml = ({ preview }: Approval["pending"][number]): string => {
  const { summary, diff, text } = preview
  const notices = noticesOf(preview).map((notice) => `<li>${escapeHtml(notice)}</li>`)
  return [
    `<h2>${escapeHtml(summary)}</h2>`,
    ...(notices.length === 0 ? [] : [`<ul>${notices.join("")}</ul>`]),
    ...(diff === undefined ? [] : [`<pre class="diff">${diffHtml(diff)}</pre>`]),
    ...(diff !== undefined || text === undefined ? [] : [`<pre>${escapeHtml(text)}</pre>`]),
  ].join("")
}

const tokenField = `<label for="token">Your token</label>
<input id="token" name="token" type="password" autocomplete="off" required>`

const decisionForm = (
  fields: string,
): string => `<form method="post">${fields}<label for="content">Reason for a rejection (optional)</label>
<textarea id="content" name="content" maxlength="65536"></textarea>
<button class="yes" name="action" value="accept">Approve all</button>
<button class="no" name="action" value="reject">Reject all</button></form>`

const answerForm = (fields: string): string => `<form method="post">${fields}<label for="content">Your answer</label>
<textarea id="content" name="content" maxlength="65536" required></textarea>
<button class="yes" name="action" value="custom_result">Send</button></form>`

/** Returns a page with the previews of the pending calls, and the form that decides them. */
export const approvalPage = (approval: Approval, needsToken = false): string => {
  const asks = approval.type === "input_required"
  const title = asks ? "An agent has a question" : "An agent requests approval"
  const facts = [
    ["Task", approval.title ?? approval.session_id],
    ["Session", approval.session_id],
    ["Agent", approval.agent],
    ["Since", approval.opened_at],
  ]
  return page(
    title,
    `<h1>${title}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(visible(value ?? ""))}</dd>`).join("")}</dl>
${approval.message === "" ? "" : `<h2>The agent says</h2>${block(approval.message)}`}
${approval.pending.map(callHtml).join("\n")}
${(asks ? answerForm : decisionForm)(needsToken ? tokenField : "")}`,
  )
}

export const outcomePage = (title: string, text: string): string =>
  page(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`)
