const looks = ["a", "b", "c"].map((name) => ({
  reply: { text: `Look ${name}.`, tool_calls: [{ id: `tc_${name}`, name: "LS", arguments: { path: "." } }] },
}))

const paragraph = "The queue drains while the new workers start, and callers wait no longer than before.\n\n"
const code = `\`\`\`ts\n${Array.from({ length: 40 }, (_, index) => `export const value${index} = ${index}`).join("\n")}\n\`\`\``

/** The last line of a report that is longer than a screen. */
export const lastLine = "That is the whole report."

/** Conversations of sessions that are looked at while they work, and after. */
export const liveConversations = [
  {
    when: { user: "^Run twice" },
    turns: [...looks, { reply: { text: "First done." } }, ...looks, { reply: { text: "Second done." } }],
  },
  {
    when: { user: "^Report" },
    turns: [
      ...looks,
      {
        reply: {
          text: "Here is the chart.",
          tool_calls: [{ id: "tc_chart", name: "Read", arguments: { file_path: "chart.png" } }],
        },
      },
      { reply: { text: `# Report\n\n${paragraph.repeat(12)}${code}\n\n${paragraph.repeat(4)}${lastLine}` } },
    ],
  },
  {
    when: { user: "^Look three times" },
    turns: [...looks, { reply: { text: "Looked enough." } }],
  },
  {
    when: { user: "^Think for long" },
    interjections: [{ last: { role: "user", contains: "blue" }, reply: { text: "Blue it is." } }],
    turns: [
      {
        reply: {
          text: "Thinking.",
          delay_ms: 6_000,
          tool_calls: [{ id: "tc_ls", name: "LS", arguments: { path: "." } }],
        },
      },
      { reply: { text: "Thought." } },
      { reply: { text: "The follow-up was read." } },
    ],
  },
  {
    when: { user: "^Share the work" },
    turns: [
      {
        reply: {
          tool_calls: [
            { id: "tc_one", name: "sessions_spawn", arguments: { task: "Survey the docs", label: "docs" } },
            { id: "tc_two", name: "sessions_spawn", arguments: { task: "Break down", label: "tests" } },
            { id: "tc_three", name: "sessions_spawn", arguments: { task: "Draft the handbook", label: "writer" } },
            { id: "tc_four", name: "sessions_spawn", arguments: { task: "Survey the code", label: "code" } },
          ],
        },
      },
      { reply: { text: "All were asked." }, repeat: 8 },
    ],
  },
  { when: { user: "Survey" }, turns: [{ reply: { text: "Surveyed." }, repeat: 3 }] },
  {
    when: { user: "Break down" },
    turns: [{ reply: { error: { status: 400, message: "the model refused the request" } } }],
  },
  {
    when: { user: "Draft the handbook" },
    turns: [
      {
        reply: {
          tool_calls: [
            { id: "tc_book", name: "Write", arguments: { file_path: "HANDBOOK.md", content: "Read it.\n" } },
          ],
        },
      },
      { reply: { text: "Drafted." } },
    ],
  },
]
