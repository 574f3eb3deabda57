/** Words with a capital letter that may start an error message. */
const properNames = new Set(
  "Adjutant Anthropic Bash Docker Dockerfile Git GitHub Go Grep JavaScript Linux Markdown Node PostgreSQL Postgres Prometheus Slack Temporal TypeScript Windows".split(
    " ",
  ),
)

/** Verbs in the imperative that a help text may start with. */
const imperatives = new Set(
  "Accept Add Allow Answer Approve Archive Ask Bind Build Cancel Change Check Choose Compare Connect Continue Copy Create Deliver Delegate Delete Detach Disable Enable End Erase Exit Export Fail Finish Follow Forget Fork Give Ignore Import Include Initialize Install Keep Leave Limit List Listen Load Log Make Mark Move Name Offer Open Override Pause Post Prepare Prevent Print Read Record Redirect Refuse Reject Release Remove Render Repair Repeat Replace Reply Report Require Reset Resolve Restore Restrict Resume Retry Return Run Search Select Send Serve Set Show Skip Spawn Spend Start Stop Store Suspend Take Test Transfer Treat Try Unbind Update Use Validate Verify Wait Watch Write".split(
    " ",
  ),
)

const firstWord = (text: string): string => /^\W*?([\w$./@:-]*)/.exec(text)?.[1] ?? ""

/** Whether a text starts in lower case, with a proper name or an identifier, or with a value. */
export const startsAsMessage = (text: string): boolean => {
  if (/^["'`(…<{[-]/.test(text)) return true
  const word = firstWord(text)
  return !/^[A-Z][a-z']*$/.test(word) || properNames.has(word)
}

/** Whether a text starts with a verb in the imperative and a capital letter. */
export const startsInImperative = (text: string): boolean => imperatives.has(firstWord(text))
