export const fileBefore = `export const retries = {
  attempts: 3,
  firstWaitMs: 100,
  factor: 2,
}

export const timeoutMs = 5_000
`
const fileAfter = fileBefore.replace("attempts: 3", "attempts: 5").replace("factor: 2,", "factor: 2,\n  jitter: 0.2,")

/** Text that would run if it were treated as markup. */
export const hostileText = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

const runbook = `# Runbook

1. Drain the old workers.
2. Start the new ones.
3. Watch the queue until it is empty.
`

/** Markdown with everything that an agent writes, and with what must not act. */
const explanation = `# What I found

The retries give up **too early**. See [the guide](https://example.org/guide), [not this](javascript:alert(1)), and
![a picture](https://example.org/beacon.png).

| setting | now | then |
| ------- | --- | ---- |
| attempts | 3 | 5 |

\`\`\`ts
export const retries = { attempts: 5, jitter: 0.2 } // spread
\`\`\`

- <b>markup stays text</b>
- hidden: a\u202eb\u200bc
`

/** Conversations for every state of a session, by the beginning of its instruction. */
export const conversations = [
  {
    when: { user: "^Raise the retries" },
    turns: [
      {
        reply: {
          text: "I read the file first.",
          tool_calls: [{ id: "tc_read", name: "Read", arguments: { file_path: "retries.ts" } }],
        },
      },
      {
        reply: {
          text: "Three attempts give up too early for the new back end. I raise them to five and spread them by a jitter, so that the callers do not come back all at once.",
          tool_calls: [
            {
              id: "tc_edit",
              name: "Edit",
              arguments: { file_path: "retries.ts", old_string: fileBefore, new_string: fileAfter },
            },
          ],
        },
      },
      { reply: { text: "The retries are raised." } },
      { reply: { text: "A follow-up was answered." } },
    ],
  },
  {
    when: { user: "^Write the runbook" },
    turns: [
      {
        reply: {
          text: "Here is what I would write down.",
          tool_calls: [
            { id: "tc_write", name: "Write", arguments: { file_path: "RUNBOOK.md", content: runbook } },
            {
              id: "tc_bash",
              name: "Bash",
              arguments: { command: "git add RUNBOOK.md && git commit -m 'Add the runbook'" },
            },
          ],
        },
      },
      {
        expect: { tool_results: [{ outcome: "rejected", contains: "not before Monday" }] },
        reply: { text: "I wait until Monday." },
      },
    ],
  },
  {
    when: { user: "^Ask me" },
    turns: [{ reply: { text: "Which colour?" } }, { reply: { text: "You said: {{user:(.+)}}" } }],
  },
  {
    when: { user: "^Count slowly" },
    interjections: [{ last: { role: "user", contains: "faster" }, reply: { text: "Faster it is." } }],
    turns: [
      {
        reply: {
          text: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen",
          stream_chunk: 6,
          chunk_delay_ms: 700,
          tool_calls: [{ id: "tc_ls", name: "LS", arguments: { path: "." } }],
        },
      },
      { reply: { text: "Counted." } },
    ],
  },
  {
    when: { user: "^Read at length" },
    turns: [
      {
        reply: {
          text: "A chapter.\n".repeat(80),
          tool_calls: [{ id: "tc_ls", name: "LS", arguments: { path: "." } }],
        },
      },
      { reply: { text: `${"Another line.\n".repeat(80)}The last chapter.` } },
      { reply: { text: "An epilogue." } },
    ],
  },
  {
    when: { user: "^Explain at length" },
    turns: [
      {
        reply: {
          text: "I look around.",
          tool_calls: ["a", "b", "c", "d", "e"].map((name) => ({
            id: `tc_${name}`,
            name: "LS",
            arguments: { path: "." },
          })),
        },
      },
      { reply: { text: explanation } },
    ],
  },
  {
    when: { user: "^Look at the chart" },
    turns: [
      {
        reply: {
          text: "I look at the chart, and at the report that it is from.",
          tool_calls: ["chart.png", "report.pdf"].map((name) => ({
            id: `tc_${name.replace(".", "_")}`,
            name: "Read",
            arguments: { file_path: name },
          })),
        },
      },
      { reply: { text: "It is grey." } },
    ],
  },
  {
    when: { user: "^Fail for good" },
    turns: [{ reply: { error: { status: 400, message: "the model refused the request" } } }],
  },
  {
    when: { user: "^Wait for the provider" },
    turns: [{ reply: { error: { status: 529, retry_after: 600, message: "Overloaded" } } }],
  },
  {
    when: { user: "^Run out of quota" },
    turns: [
      { reply: { tool_calls: [{ id: "tc_ls", name: "LS", arguments: { path: "." } }] } },
      { reply: { error: { status: 402, message: "No balance is left" } } },
    ],
  },
  {
    when: { user: "^Let a child write" },
    turns: [
      {
        reply: {
          tool_calls: [
            { id: "tc_child", name: "sessions_spawn", arguments: { task: "Draft the handbook", label: "writer" } },
          ],
        },
      },
      { reply: { text: "The child was asked." }, repeat: 6 },
    ],
  },
  {
    when: { user: "Draft the handbook" },
    turns: [
      {
        reply: {
          tool_calls: [{ id: "tc_book", name: "Write", arguments: { file_path: "HANDBOOK.md", content: runbook } }],
        },
      },
      { reply: { text: "Drafted." } },
    ],
  },
  {
    when: { user: "^Set up the shell" },
    turns: [
      {
        reply: {
          text: "The command needs two variables. I write them down, and try it.",
          tool_calls: [
            {
              id: "tc_notes",
              name: "Write",
              arguments: { file_path: "NOTES.md", content: "Needs REGION and STAGE.\n" },
            },
            { id: "tc_env", name: "Write", arguments: { file_path: ".envrc", content: "export REGION=eu\n" } },
            { id: "tc_try", name: "Bash", arguments: { command: "make check", timeout_ms: 60_000 } },
          ],
        },
      },
      { reply: { text: "It is set up." } },
    ],
  },
  {
    when: { user: "^Split the file" },
    turns: [
      {
        reply: {
          text: "I split it into two.",
          tool_calls: ["one", "two"].map((name) => ({
            id: `tc_${name}`,
            name: "Write",
            arguments: { file_path: `split/${name}.md`, content: `Part ${name}.\n` },
          })),
        },
      },
      { reply: { text: "It is split." } },
    ],
  },
  {
    when: { user: "^Check the build" },
    turns: [
      {
        reply: {
          text: "I check the build.",
          tool_calls: [{ id: "tc_check", name: "Bash", arguments: { command: "echo checked" } }],
        },
      },
      { reply: { text: "The build was checked." } },
    ],
  },
  {
    when: { user: "^Work for long" },
    turns: [
      {
        reply: {
          text: "I look around first.",
          tool_calls: [{ id: "tc_ls", name: "LS", arguments: { path: "." } }],
        },
      },
      // Longer than everything that looks at it takes.
      { reply: { delay_ms: 600_000, tool_calls: [{ name: "LS", arguments: { path: "." } }] }, repeat: 20 },
    ],
  },
  { when: { user: "^Never end" }, turns: [{ reply: { text: "Late.", delay_ms: 600_000 } }] },
  {
    when: { user: "^Delegate" },
    turns: [
      {
        reply: {
          text: "Two of us are faster.",
          tool_calls: [
            { id: "tc_one", name: "sessions_spawn", arguments: { task: "Survey the tests", label: "tests" } },
            { id: "tc_two", name: "sessions_spawn", arguments: { task: "Survey the docs", label: "docs" } },
          ],
        },
      },
      { reply: { text: "Both were asked." }, repeat: 6 },
    ],
  },
  { when: { user: "Survey" }, turns: [{ reply: { text: "Surveyed." } }, { reply: { text: "Again." } }] },
  { turns: [{ reply: { text: `You wrote: ${hostileText}` } }, { reply: { text: "Repeated." } }] },
]
