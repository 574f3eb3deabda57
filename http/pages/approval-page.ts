import { diffLines } from "../../domain/preview/diff-lines.ts"
import { noticesOf } from "../../domain/preview/preview-lines.ts"
import { counted } from "../../domain/text/figures.ts"
import { visible } from "../../domain/text/visible.ts"
import type { PendingApproval } from "../../sessions/pauses/approval.ts"
import type { LinkedDecision, OpenedLink } from "../../sessions/pauses/links/link.ts"
import { editForm, type RefusedEdit } from "./edit-form.ts"
import { escapeHtml } from "./escape-html.ts"
import { messageHtml } from "./message-html.ts"
import { decidedFacts, linkFacts, linkLine } from "./link-facts.ts"

/** The colours of the web page, with enough contrast in both themes. */
export const pageStyle = `:root{color-scheme:light dark;--paper:#fbfaf7;--ink:#1d2421;--quiet:#5b6560;--edge:#7f857e;--accent:#2f5d50;--on-accent:#ffffff;
--good:#22703f;--bad:#a92f27;--wait:#8a5900;--code:#f3f1ea}
@media (prefers-color-scheme:dark){:root{--paper:#151917;--ink:#e6e9e6;--quiet:#a3ada8;--edge:#76807b;--accent:#7fc0a9;--on-accent:#10201a;
--good:#6fcf8f;--bad:#f2938a;--wait:#e6b450;--code:#242a27}}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1.5rem;overflow-wrap:anywhere;background:var(--paper);color:var(--ink)}
a{color:var(--accent)}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.5rem 0 .4rem}ul{margin:.2rem 0 .6rem;padding-left:1.2rem;color:var(--wait)}
pre{white-space:pre-wrap;margin:0;padding:.8rem;background:var(--code);border:1px solid var(--edge);border-radius:.4rem;overflow:auto;font-size:.9rem}
.diff small{color:var(--quiet);user-select:none;font-size:inherit}.diff i{color:var(--quiet);font-style:normal}.diff ins{color:var(--good);text-decoration:none}.diff del{color:var(--bad);text-decoration:none}
.facts{color:var(--quiet);margin:.2rem 0}html{scroll-padding-bottom:12rem}details{margin:.6rem 0}summary{cursor:pointer}textarea.code{font:.9rem/1.45 ui-monospace,monospace}.problem{color:var(--bad)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem}dt{color:var(--quiet)}dd{margin:0}
textarea,input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;background:var(--paper);color:inherit;border:1px solid var(--edge)}
article{border-left:4px solid var(--wait);padding-left:1rem;margin:1.5rem 0}ol.summary{color:inherit}
.message{margin:.4rem 0 1rem}.message pre,.message table{display:block;overflow:auto}.message table{border-collapse:collapse}.message th,.message td{border:1px solid var(--edge);padding:.2rem .6rem;text-align:left}
.message blockquote{margin:.4rem 0;padding-left:.8rem;border-left:3px solid var(--edge)}.message ul,.message ol{color:inherit}.answer textarea{scroll-margin-top:8rem}
.decision{position:sticky;bottom:0;background:var(--paper);border-top:2px solid var(--edge);padding:.6rem 0 .8rem}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.4rem;border:1px solid var(--edge);cursor:pointer;margin:.8rem .6rem 0 0}
button.yes{background:var(--good);color:var(--on-accent);border-color:var(--good)}button.no{background:var(--bad);color:var(--on-accent);border-color:var(--bad)}`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${pageStyle}</style></head>
<body>${body}</body></html>
`

const block = (text: string): string => `<pre>${escapeHtml(visible(text))}</pre>`

const diffTags = { ins: "ins", del: "del", same: "span", head: "i", file: "b" } as const

/** Returns a diff with the numbers that its lines have after the change, or before it where they are removed. */
const diffHtml = (diff: string): string => {
  const lines = diffLines(diff)
  const width = String(Math.max(0, ...lines.map(({ before = 0, after = 0 }) => Math.max(before, after)))).length
  const hasNumbers = lines.some(({ before, after }) => before !== undefined || after !== undefined)
  return lines
    .map(({ kind, text, before, after }) => {
      const number = hasNumbers ? `<small>${String(after ?? before ?? "").padStart(width)} </small>` : ""
      return `${number}<${diffTags[kind]}>${escapeHtml(text)}</${diffTags[kind]}>`
    })
    .join("\n")
}

const tokenField = `<label>Your token
<input name="token" type="password" autocomplete="off" required></label>`

const callIdField = (id: string): string => `<input type="hidden" name="call_id" value="${escapeHtml(id)}">`

/** The form that decides one of several calls. */
const callForm = (id: string, about: string, fields: string): string => `<form method="post">${fields}
${callIdField(id)}
<label>Reason for a rejection (optional)
<input name="content" maxlength="65536"></label>
<button class="yes" name="action" value="accept" aria-label="Approve this call: ${about}">Approve this call</button>
<button class="no" name="action" value="reject" aria-label="Reject this call: ${about}">Reject this call</button></form>`

/** The forms of one call: the one that edits it, and the one that decides it alone where others wait, too. */
interface CallForms {
  /** The preview is the whole one. */
  readonly isWhole: boolean
  readonly edit: string | undefined
  readonly own: string | undefined
}

/** A call whose preview was read whole, and is cut nevertheless, has none that is longer. */
const cutNote = (index: number, isWhole: boolean): string =>
  isWhole
    ? "<p>This is the beginning: the rest is not kept.</p>"
    : `<p>This is the beginning. <a href="?whole=true#call-${index + 1}">Show the whole change</a></p>`

const callHtml = (
  { preview }: PendingApproval["pending"][number],
  index: number,
  { edit, own, isWhole }: CallForms,
): string => {
  const { summary, diff, text, is_cut: isCut } = preview
  const notices = noticesOf(preview).map((notice) => `<li>${escapeHtml(notice)}</li>`)
  return [
    `<article id="call-${index + 1}"><h2>${escapeHtml(summary)}</h2>`,
    ...(notices.length === 0 ? [] : [`<ul>${notices.join("")}</ul>`]),
    ...(diff === undefined ? [] : [`<pre class="diff">${diffHtml(diff)}</pre>`]),
    ...(diff !== undefined || text === undefined ? [] : [`<pre>${escapeHtml(text)}</pre>`]),
    ...(isCut === true ? [cutNote(index, isWhole)] : []),
    edit ?? "",
    own ?? "",
    "</article>",
  ].join("")
}

const summaryHtml = (pending: PendingApproval["pending"]): string =>
  pending.length < 2
    ? ""
    : `<h2>${pending.length} calls wait</h2><ol class="summary">${pending
        .map(({ preview }, index) => `<li><a href="#call-${index + 1}">${escapeHtml(preview.summary)}</a></li>`)
        .join("")}</ol>`

/** Says which calls an approval of all would leave pending; empty if it includes each of them. */
const byIdNote = (pending: PendingApproval["pending"], decidedById: OpenedLink["decidedById"]): string => {
  const links = pending.flatMap(({ id, preview }, index) =>
    decidedById.includes(id) ? [`<a href="#call-${index + 1}">${escapeHtml(preview.summary)}</a>`] : [],
  )
  const [what, each] =
    links.length === 1
      ? ["changes a protected file or leaves the sandbox", "it"]
      : ["change protected files or leave the sandbox", "each"]
  return links.length === 0 ? "" : `<p>${links.join(", ")} ${what}: approve ${each} by itself, above.</p>`
}

/** The bar that decides all calls. Its approval names how many it includes, and is not offered if that is none. */
const decisionForm = (fields: string, { approval: { pending }, decidedById }: OpenedLink): string => {
  const count = pending.length
  const included = count - decidedById.length
  const yes =
    count === 1
      ? "Approve"
      : included === count
        ? `Approve all ${count} calls`
        : `Approve the other ${counted(included, "call")}`
  const no = count === 1 ? "Reject" : `Reject all ${count} calls`
  const approve = `<button class="yes" name="action" value="accept">${yes}</button>\n`
  return `<form method="post" class="decision">${fields}${byIdNote(pending, decidedById)}<label>Reason for a rejection (optional)
<input name="content" maxlength="65536"></label>
${included === 0 ? "" : approve}<button class="no" name="action" value="reject">${no}</button></form>`
}

/** Comes after its question, and not over the end of it. */
const answerForm = (fields: string): string => `<form method="post" class="answer">${fields}<label>Your answer
<textarea name="content" rows="3" maxlength="65536" required></textarea></label>
<button class="yes" name="action" value="custom_result">Send</button></form>`

interface PageOptions {
  /** A decision requires the token of an approver. */
  readonly needsToken?: boolean
  readonly refused?: RefusedEdit
  /** The previews are those that were asked for whole. */
  readonly isWhole?: boolean
  /** Default: the clock of this machine. */
  readonly nowMs?: number
}

const formsOf = (
  { approval: { pending, type }, decidedById }: OpenedLink,
  { needsToken, refused, isWhole = false }: PageOptions,
): ((call: PendingApproval["pending"][number]) => CallForms) => {
  const fields = needsToken === true ? tokenField : ""
  const isOne = pending.length === 1
  return (call) => {
    const { id, preview } = call
    const isRefused = refused !== undefined && (refused.callId ?? (isOne ? id : undefined)) === id
    return {
      isWhole,
      edit:
        type === "input_required"
          ? undefined
          : editForm(call, `${isOne ? "" : callIdField(id)}${fields}`, isRefused ? refused : undefined),
      own: isOne && !decidedById.includes(id) ? undefined : callForm(id, escapeHtml(preview.summary), fields),
    }
  }
}

/** Returns a page with the previews of the pending calls, and the forms that decide them. */
export const approvalPage = (opened: OpenedLink, options: PageOptions = {}): string => {
  const { approval } = opened
  const { pending } = approval
  const asks = approval.type === "input_required"
  const title = asks ? "An agent has a question" : "An agent requests approval"
  const needsToken = options.needsToken === true
  const fields = needsToken ? tokenField : ""
  const formsOfCall = formsOf(opened, options)
  return page(
    title,
    `<main><h1>${title}</h1>
${linkLine(opened, needsToken)}
${summaryHtml(pending)}
${approval.message === "" ? "" : `<h2>The agent says</h2>${messageHtml(approval.message)}`}
${pending.map((call, index) => callHtml(call, index, formsOfCall(call))).join("\n")}
${linkFacts(opened, { needsToken, nowMs: options.nowMs ?? Date.now() })}
${asks ? answerForm(fields) : decisionForm(fields, opened)}</main>`,
  )
}

interface Outcome {
  /** The address still decides other calls. */
  readonly more?: boolean
  /** With which arguments a call was approved instead of its own. */
  readonly edited?: Readonly<Record<string, unknown>> | undefined
  /** Who decided what on the pause so far. */
  readonly decided?: readonly LinkedDecision[]
}

const editedHtml = (edited: Outcome["edited"]): string =>
  edited === undefined
    ? ""
    : `<p>The call was approved with these arguments. If its tool does not accept them, or they change a protected file, the agent asks again.</p>
${block(JSON.stringify(edited, null, 2))}`

/** Returns the page after a decision. */
export const outcomePage = (
  title: string,
  text: string,
  { more = false, edited, decided = [] }: Outcome = {},
): string =>
  page(
    title,
    `<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${decidedFacts(decided)}${editedHtml(edited)}${more ? '<p><a href="">Show what else waits</a></p>' : ""}</main>`,
  )
